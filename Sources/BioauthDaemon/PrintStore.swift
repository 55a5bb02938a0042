import BioauthCore
import BioauthSystem

/// The prints that are kept: `prints/<uid>/<driver>/<device>/<finger>`, each libfprint's own serialisation.
@MainActor final class PrintStore {
    let directory: String
    let describe: @MainActor (StoredPrint) -> PrintDescription?

    /// Bytes of one print; real ones have some thousands.
    static let printBytes = 1 << 20

    /// - Throws: `SystemError` when the directory can't be made.
    init(stateDirectory: String, describe: @escaping @MainActor (StoredPrint) -> PrintDescription?) throws(SystemError)
    {
        directory = stateDirectory + "/prints"
        self.describe = describe
        try Directory.makePrivate(directory)
    }

    /// A print that can be compared: it is whole, and says that it belongs where it lies.
    struct Usable {
        let account: Account
        let finger: Finger
        let print: StoredPrint
    }

    /// The fingers for which the account has a file on this reader, the one that matched last first. Cheap: no print
    /// is read.
    func fingers(of account: Account, on reader: ReaderDescription) -> [Finger] {
        let folder = folder(account.uid, reader)
        let names = (try? Directory.names(in: folder)) ?? []
        return names.compactMap { name in
            Finger(name: name).flatMap { finger in SmallFile.changed("\(folder)/\(name)").map { (finger, $0) } }
        }.sorted { $0.1 > $1.1 }.map(\.0)
    }

    /// The account's prints on this reader that can be compared, the one that matched last first.
    func usable(of account: Account, on reader: ReaderDescription) -> [Usable] {
        fingers(of: account, on: reader).compactMap { usable($0, of: account, on: reader) }
    }

    private func usable(_ finger: Finger, of account: Account, on reader: ReaderDescription) -> Usable? {
        guard let print = read(path(account.uid, reader, finger)), let described = describe(print),
            described.accountName == account.name, described.finger == finger
        else { return nil }
        return Usable(account: account, finger: finger, print: print)
    }

    /// Other accounts' prints on this reader, at most `limit` of them.
    func ofOthers(than account: Account, on reader: ReaderDescription, limit: Int) -> [Usable] {
        var found: [Usable] = []
        for uid in uids() where uid != account.uid && found.count < limit {
            let folder = folder(uid, reader)
            for name in (try? Directory.names(in: folder)) ?? [] {
                guard let finger = Finger(name: name), let print = read("\(folder)/\(name)"),
                    let described = describe(print), described.finger == finger
                else { continue }
                found.append(
                    Usable(account: Account(uid: uid, name: described.accountName), finger: finger, print: print))
            }
        }
        return Array(found.prefix(limit))
    }

    /// Everything kept for the account on any reader, the damaged and the foreign included.
    func entries(of account: Account) -> [Entry] {
        places(of: account).compactMap { place in
            let parts = place.split(separator: "/").map(String.init)
            guard parts.count == 3, let finger = Finger(name: parts[2]) else { return nil }
            let described = read("\(directory)/\(account.uid)/\(place)").flatMap(describe)
            let isGood = described?.accountName == account.name && described?.finger == finger
            return Entry(
                finger: finger, driver: PathName.decoded(parts[0]), device: PathName.decoded(parts[1]),
                enrolled: described?.enrolled, isDamaged: !isGood, isOnReader: described?.isOnReader ?? false)
        }
    }

    /// Where files lie that may be the account's prints, on any reader, in a fixed order: `driver/device/finger`. No print is
    /// read.
    func places(of account: Account) -> [String] {
        let home = "\(directory)/\(account.uid)"
        return names(in: home).flatMap { driver in
            names(in: "\(home)/\(driver)").flatMap { device in
                names(in: "\(home)/\(driver)/\(device)").filter { Finger(name: $0) != nil }
                    .map { "\(driver)/\(device)/\($0)" }
            }
        }
    }

    struct Entry {
        let finger: Finger
        let driver: String
        let device: String
        let enrolled: String?
        let isDamaged: Bool
        let isOnReader: Bool
    }

    func hasAny(_ account: Account) -> Bool { entries(of: account).contains { !$0.isDamaged } }

    /// Whether anything lies where the account's print of that finger would: only one that its reader has lost is ever
    /// overwritten.
    func exists(_ account: Account, _ finger: Finger, on reader: ReaderDescription) -> Bool {
        SmallFile.isThere(path(account.uid, reader, finger))
    }

    func add(_ print: StoredPrint, of account: Account, _ finger: Finger, on reader: ReaderDescription)
        throws(SystemError)
    {
        try Directory.make(folder(account.uid, reader), mode: 0o700)
        try SmallFile.write(print.bytes, to: path(account.uid, reader, finger), mode: 0o600)
    }

    /// Deletes the account's prints of that finger, or all, on any reader. One that a reader keeps is of no use from now
    /// on, and stays doomed until the reader has forgotten it, too.
    ///
    /// - Throws: the first that could not be deleted keeps none of the others.
    func delete(_ account: Account, _ finger: Finger?) throws(SystemError) {
        let doomed = entries(of: account).filter { finger == nil || $0.finger == finger }
        var failure: SystemError?
        for entry in doomed {
            let folder =
                "\(directory)/\(account.uid)/\(PathName.encoded(entry.driver))/\(PathName.encoded(entry.device))"
            let path = "\(folder)/\(entry.finger.name)"
            do {
                if entry.isOnReader { try doom(path) } else { try SmallFile.remove(path) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// The print matched: it goes first from now on.
    func matched(_ account: Account, _ finger: Finger, on reader: ReaderDescription) {
        SmallFile.touch(path(account.uid, reader, finger))
    }

    // MARK: Paths

    func uids() -> [UInt32] { names(in: directory).compactMap { UInt32($0) } }

    func names(in path: String) -> [String] { (try? Directory.names(in: path)) ?? [] }

    func folder(_ uid: UInt32, _ reader: ReaderDescription) -> String {
        "\(directory)/\(uid)/\(PathName.encoded(reader.driver))/\(PathName.encoded(reader.deviceID))"
    }

    func path(_ uid: UInt32, _ reader: ReaderDescription, _ finger: Finger) -> String {
        "\(folder(uid, reader))/\(finger.name)"
    }

    func read(_ path: String) -> StoredPrint? {
        (try? SmallFile.read(path, limit: PrintStore.printBytes)).map(StoredPrint.init(bytes:))
    }
}

/// Names that a driver made up, as names of directories: what might mean something there is written as `%2F`.
enum PathName {
    static func encoded(_ name: String) -> String {
        guard !name.isEmpty else { return "%" }
        return name.utf8.enumerated().map { at, byte in
            let isPlain = byte.isAlphanumeric || byte == 0x2D || byte == 0x5F || (byte == 0x2E && at > 0)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    static func decoded(_ name: String) -> String {
        if name == "%" { return "" }
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 0x25, rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isAlphanumeric: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
