import BioauthCore
import BioauthSystem

/// Prints that a reader keeps itself: what lies here only names them. What is to be changed on both sides is written down
/// here first, so that whatever comes in between, no half of a print stays on either side: an enrolment with what the
/// reader kept before it, and a deletion as the print that is doomed.
extension PrintStore {
    /// A print that a reader keeps for an account of this machine.
    struct OnReader {
        let uid: UInt32
        let described: PrintDescription
        let print: StoredPrint
    }

    /// What lies here of such prints, whoever's they are.
    func onReader(_ reader: ReaderDescription) -> [OnReader] {
        uids().flatMap { (uid) -> [OnReader] in
            let folder = folder(uid, reader)
            return names(in: folder).compactMap { (name) -> OnReader? in
                guard let finger = Finger(name: name), let print = read("\(folder)/\(name)"),
                    let described = describe(print), described.isOnReader, described.finger == finger
                else { return nil }
                return OnReader(uid: uid, described: described, print: print)
            }
        }
    }

    /// Whether anything at all lies here of prints on the reader.
    func hasAnything(on reader: ReaderDescription) -> Bool {
        uids().contains { !names(in: folder($0, reader)).isEmpty }
    }

    // MARK: Deletions

    /// A print that is of no use any more, and is still to be deleted from its reader.
    struct Doomed {
        let path: String
        let print: StoredPrint
    }

    func doomed(on reader: ReaderDescription) -> [Doomed] {
        pending("deleting", on: reader).compactMap { path in
            guard let print = read(path), describe(print) != nil else {
                // Nobody can say what it was.
                settle(path)
                return nil
            }
            return Doomed(path: path, print: print)
        }
    }

    /// Renames the print, which takes its use away in one step.
    func doom(_ path: String) throws(SystemError) {
        // More than one print of a finger may be doomed.
        let sum = sha256(try SmallFile.read(path, limit: PrintStore.printBytes)).prefix(16)
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        try SmallFile.move(path, to: "\(path[..<slash])/deleting.\(path[slash...].dropFirst()).\(sum)")
    }

    // MARK: Enrolments

    /// An enrolment that had begun at a reader, and of whose end nothing is known.
    struct Unfinished {
        let path: String
        let accountName: String
        let finger: Finger
        let machine: MachineRun
        /// The prints that the reader kept before it, by their check sums.
        let before: Set<String>

        /// The one of the prints that nobody here has which it has left on the reader: it was not there before, and says
        /// nothing else. Nil where there is more than one, or another system may have run on the machine since: what lies on
        /// the reader is theirs as well.
        func made(of leftovers: [StoredPrint], _ machine: MachineRun, describe: (StoredPrint) -> PrintDescription?)
            -> StoredPrint?
        {
            guard self.machine.isSame(as: machine) else { return nil }
            let made = leftovers.filter { print in
                guard !before.contains(sha256(print.bytes)) else { return false }
                return describe(print).map { $0.accountName == accountName && $0.finger == finger } ?? true
            }
            return made.count == 1 ? made[0] : nil
        }
    }

    /// The time in which no other system can have run on the machine: a boot, and in it the time between two sleeps.
    struct MachineRun {
        let bootID: String
        /// Nanoseconds that the machine has slept in this boot.
        let slept: Int64

        func isSame(as other: MachineRun) -> Bool {
            // The two clocks that tell it are read one after the other.
            bootID == other.bootID && abs(slept - other.slept) < 1_000_000_000
        }
    }

    func begin(
        _ finger: Finger, of account: Account, on reader: ReaderDescription, keeping before: [StoredPrint],
        _ machine: MachineRun
    ) throws(SystemError) {
        let file = KeyFile()
        file.set("enrolment", "account", account.name)
        file.set("enrolment", "finger", finger.name)
        file.set("enrolment", "boot", machine.bootID)
        file.set("enrolment", "slept", machine.slept)
        file.set("enrolment", "before", before.map { sha256($0.bytes) }.joined(separator: " "))
        try Directory.make(folder(account.uid, reader), mode: 0o700)
        try SmallFile.write(file.bytes(), to: unfinishedPath(account, finger, on: reader), mode: 0o600)
    }

    /// The enrolment has left nothing half done.
    func finished(_ finger: Finger, of account: Account, on reader: ReaderDescription) {
        settle(unfinishedPath(account, finger, on: reader))
    }

    func unfinished(on reader: ReaderDescription) -> [Unfinished] {
        pending("enrolling", on: reader).compactMap { path in
            guard let bytes = try? SmallFile.read(path, limit: PrintStore.printBytes), let file = try? KeyFile(bytes),
                let name = file.string("enrolment", "account"), let bootID = file.string("enrolment", "boot"),
                let slept = file.integer("enrolment", "slept"),
                let finger = file.string("enrolment", "finger").flatMap(Finger.init(name:)),
                let before = file.string("enrolment", "before")
            else {
                settle(path)
                return nil
            }
            return Unfinished(
                path: path, accountName: name, finger: finger, machine: MachineRun(bootID: bootID, slept: slept),
                before: Set(before.split(separator: " ").map(String.init)))
        }
    }

    /// What was written down has been done. If it stays, it is found to be done the next time.
    func settle(_ path: String) {
        try? SmallFile.remove(path)
    }

    private func unfinishedPath(_ account: Account, _ finger: Finger, on reader: ReaderDescription) -> String {
        "\(folder(account.uid, reader))/enrolling.\(finger.name)"
    }

    /// Files of one kind of what is to be done at the reader.
    private func pending(_ kind: String, on reader: ReaderDescription) -> [String] {
        uids().flatMap { uid in
            let folder = folder(uid, reader)
            return names(in: folder).filter { $0.hasPrefix("\(kind).") }.map { "\(folder)/\($0)" }
        }
    }
}
