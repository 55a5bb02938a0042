import BioauthWire
public import Foundation

/// Which fingers are enrolled, as far as a program may know: values to be compared with those of another time.
///
/// A hash is 32 bytes that change with each enrolment and each deletion of the person's, also where both together leave the
/// same fingers, and with nothing else but a state of the account that had to be made anew. It tells nothing of the prints,
/// and is another one for each program and on each machine.
open class LADomainState: NSObject, @unchecked Sendable {
    /// That of the fingers.
    public let biometry: LADomainStateBiometry
    /// That of paired devices, of which Linux has none.
    public let companion = LADomainStateCompanion()
    /// That of all together. Nil: nothing is enrolled, or it isn't known.
    open var stateHash: Data? { biometry.stateHash }

    /// - Parameter examination: what the daemon has said; nil: nothing.
    init(_ examination: Examination?) {
        biometry = LADomainStateBiometry(examination)
    }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? LADomainState)?.biometry.isEqual(biometry) ?? false
    }

    open override var hash: Int { biometry.hash }
}

/// Which fingers are enrolled, as far as a program may know.
open class LADomainStateBiometry: NSObject, @unchecked Sendable {
    /// What the machine recognises people by.
    public let biometryType: LABiometryType
    /// Nil: no finger is enrolled, or it isn't known.
    public let stateHash: Data?

    init(_ examination: Examination?) {
        biometryType = examination?.hasReader ?? false ? .touchID : .none
        stateHash = examination?.domainState.map { Data($0) }
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? LADomainStateBiometry else { return false }
        return other.biometryType == biometryType && other.stateHash == stateHash
    }

    open override var hash: Int { stateHash.hashValue }
}

/// Which devices are paired. On Linux there are none.
open class LADomainStateCompanion: NSObject, @unchecked Sendable {
    override init() {}

    open var availableCompanionTypes: Set<LACompanionType> { [] }
    open var stateHash: Data? { nil }

    open func stateHash(for companionType: LACompanionType) -> Data? { nil }

    open override func isEqual(_ object: Any?) -> Bool { object is LADomainStateCompanion }

    open override var hash: Int { 0 }
}

/// A device that could vouch for the person. Doesn't come about on Linux.
public enum LACompanionType: Int, Sendable {
    case watch = 1
    case mac = 2
    case vision = 4
}
