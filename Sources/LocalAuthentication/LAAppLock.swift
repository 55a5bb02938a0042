import BioauthClient
import BioauthCore
import BioauthWire

/// Whether this program is to lock itself until the person has shown who they are; not of Apple's.
///
/// It is kept for each person by the system's own service, which turns it on and off only for a touch or the password: who finds
/// the program open can't turn it off. What it does is the program's: ask, where `isEnabled` says so, before it shows
/// anything.
public struct LAAppLock: Sendable {
    private let socketPath: String

    public init() {
        socketPath = Release.socket
    }

    package init(socketPath: String) {
        self.socketPath = socketPath
    }

    /// Whether the person has turned it on.
    ///
    /// - Throws: a `LAError` where that can't be found out. Who takes that for "no" opens what was to be locked.
    public var isEnabled: Bool {
        get throws {
            guard let account = Program.account else { throw LAError(Denial(.unknownUser)) }
            do {
                guard case .switches(let entries) = try Prospect.ask(.switches(account), at: socketPath) else {
                    throw ConnectionError.outOfTurn
                }
                return entries.contains(SwitchEntry(LAAppLock.subject, isOn: true))
            } catch {
                throw LAError(Denial((error as? ConnectionError)?.cause ?? .protocolError))
            }
        }
    }

    /// Turns it on or off, once the person has shown who they are, by a touch or the password.
    ///
    /// - Parameters:
    ///   - isEnabled: whether it is to be on.
    ///   - context: how the person is asked: its prompt handler and titles.
    ///   - localizedReason: what for, as with `LAContext.evaluatePolicy`.
    /// - Throws: a `LAError`; then it is as it was.
    public func setEnabled(_ isEnabled: Bool, using context: LAContext, localizedReason: String) async throws {
        try await context.turn(LAAppLock.subject, isOn: isEnabled, localizedReason: localizedReason)
    }

    private static var subject: Switch { Switch(.appLock, Program.name) }
}
