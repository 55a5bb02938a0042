import Glibc

public enum Terminal {
    /// The terminal's name; where it is the machine's console under another name, `console`: that of a container is a
    /// pseudo-terminal like those that any program can make, and only `/dev/console` tells which.
    public static func name(_ name: String) -> String {
        let prefix = "/dev/"
        let short = name.utf8.starts(with: prefix.utf8) ? String(decoding: name.utf8.dropFirst(5), as: UTF8.self) : name
        let parts = short.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].elementsEqual("pts".utf8), !parts[1].isEmpty,
            parts[1].allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let console = node("/dev/console"), let terminal = node(prefix + short)
        else { return name }
        // The same node, through a link or a mount; not just the same number, which another devpts may have given too.
        return console.st_dev == terminal.st_dev && console.st_ino == terminal.st_ino ? "console" : name
    }

    private static func node(_ path: String) -> stat? {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFCHR ? info : nil
    }
}
