import BioauthSystem
import Glibc
import PAMStacks

/// The service files of a system, below its root.
public struct PAMTree: Sendable {
    /// A system's root without a slash at its end: the empty text for this one.
    public let root: String
    public private(set) var files: ServiceFiles = [:]
    /// Where each file was found.
    private var paths: [String: String] = [:]

    /// Where an administrator's files are.
    static let own = "/etc/pam.d"
    /// Where packages put theirs; the first that has a file of a name counts.
    private static let vendors = ["/usr/lib/pam.d", "/usr/etc/pam.d"]
    private static let fileBytes = 1 << 20

    public init(root: String = "") throws(SystemError) {
        self.root = root == "/" ? "" : root
        for directory in [PAMTree.own] + PAMTree.vendors {
            for name in try Directory.names(in: self.root + directory) where files[name] == nil && isService(name) {
                let path = "\(directory)/\(name)"
                let kind = FileFacts(self.root + path)?.kind
                if kind == .file || kind == .link { try read(path, as: name) }
            }
        }
        if files.isEmpty { throw SystemError("look into \(self.root)\(PAMTree.own)", errno: ENOENT) }
        // Files elsewhere may be included by their paths, and include others.
        var open = Array(files.values)
        while let file = open.popLast() {
            for case .include(let name, _) in file.statements.map(\.content)
            where name.hasPrefix("/") && files[name] == nil {
                try read(name, as: name)
                if let found = files[name] { open.append(found) }
            }
        }
    }

    private mutating func read(_ path: String, as name: String) throws(SystemError) {
        do {
            let bytes = try SmallFile.read(root + target(path), limit: PAMTree.fileBytes, followingLinks: true)
            files[name] = ServiceFile(bytes)
            paths[name] = root + path
        } catch  where error.isNoFile {
            // A link that leads nowhere is no file to libpam either.
        }
    }

    /// Where a link that begins at the root leads to: at the root of the system that it belongs to.
    private func target(_ path: String) -> String {
        var path = path
        // The kernel follows no more in a row either.
        for _ in 0..<40 {
            guard !root.isEmpty, let target = Directory.linkTarget(root + path), target.hasPrefix("/") else { break }
            path = target
        }
        return path
    }

    /// Where the file that counts is; nil when there is none.
    public func path(_ name: String) -> String? { paths[name] }

    /// Where an administrator's file of the name is, or would be.
    public func ownPath(_ name: String) -> String { "\(root)\(PAMTree.own)/\(name)" }

    /// Whether the file that counts is the administrator's.
    public func isOwn(_ name: String) -> Bool { paths[name] == ownPath(name) }

    /// Whether our module is where libpam looks for modules.
    public var hasModule: Bool {
        let multiarch = ((try? Directory.names(in: "\(root)/usr/lib")) ?? []).filter { $0.contains("-linux-") }
        return (multiarch.map { "/usr/lib/\($0)" } + ["/usr/lib", "/usr/lib64", "/lib", "/lib64"]).contains {
            SmallFile.isThere("\(root)\($0)/security/pam_bioauth.so")
        }
    }

    /// The files that hold a line of ours, by their names.
    public var namesWithOurLines: [String] {
        files.filter(\.value.hasOurLines).keys.sorted()
    }
}

/// What package managers and editors leave beside a file is no service.
private func isService(_ name: String) -> Bool {
    let ends = ["~", ".pam-new", ".pam-old", ".rpmnew", ".rpmsave", ".rpmorig", ".pacnew", ".pacsave", ".bak", ".swp"]
    return !name.hasPrefix(".") && !name.contains(".dpkg-") && !name.contains(".ucf-")
        && !ends.contains(where: name.hasSuffix)
}
