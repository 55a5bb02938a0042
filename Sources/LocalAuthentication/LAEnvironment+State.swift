import BioauthSystem
import BioauthCore
import BioauthWire
public import Foundation

extension LAEnvironment {
    /// How the environment stood at one time. Two are equal if they say the same.
    open class State: NSObject, @unchecked Sendable {
        /// The fingerprint reader. Nil: there is none, or nobody who knows.
        public let biometry: MechanismBiometry?
        /// The account's password. Nil: there is nobody who knows.
        public let userPassword: MechanismUserPassword?
        /// Paired devices: none on Linux.
        public let companions: [MechanismCompanion] = []

        private let facts: Facts?

        /// All of them.
        open var allMechanisms: [Mechanism] { [biometry, userPassword].compactMap(\.self) + companions }

        init(_ facts: Facts?) {
            self.facts = facts
            biometry = facts.flatMap { $0.hasReader ? MechanismBiometry($0) : nil }
            userPassword = facts.map { MechanismUserPassword($0) }
        }

        open override func isEqual(_ object: Any?) -> Bool { (object as? State)?.facts == facts }
        open override var hash: Int { facts.hashValue }
    }

    /// One way for the person to show that it is they.
    open class Mechanism: NSObject, @unchecked Sendable {
        /// Whether it would do now: whether `canEvaluatePolicy` would say so.
        public let isUsable: Bool
        /// What people call it.
        public let localizedName: String
        /// The name of its SF Symbol, to be matched with a picture of the program's own.
        public let iconSystemName: String

        init(isUsable: Bool, localizedName: String, iconSystemName: String) {
            self.isUsable = isUsable
            self.localizedName = localizedName
            self.iconSystemName = iconSystemName
        }
    }

    /// The person's fingers, and the reader.
    open class MechanismBiometry: Mechanism, @unchecked Sendable {
        /// `touchID`, whether it can be used or not.
        public let biometryType = LABiometryType.touchID
        /// Whether the person has enrolled a finger, on this reader or another.
        public let isEnrolled: Bool
        /// Whether no finger is taken for a time, or until the password. Where another thing stands in the way as well, as a shut
        /// lid does, that may be all that is known.
        public let isLockedOut: Bool
        /// As `LADomainStateBiometry.stateHash`; empty where no finger is enrolled.
        public let stateHash: Data
        /// Whether the reader is part of a machine whose lid is shut.
        public let builtInSensorInaccessible: Bool

        init(_ facts: Facts) {
            isEnrolled = facts.domainState != nil
            isLockedOut = facts.isLockedOut
            stateHash = facts.domainState.map { Data($0) } ?? Data()
            builtInSensorInaccessible = facts.isSensorShut
            super.init(
                isUsable: facts.isFingerUsable, localizedName: Words.inPersonsLanguage { tr("Fingerprint") },
                iconSystemName: "touchid")
        }
    }

    /// The password of the person's account.
    open class MechanismUserPassword: Mechanism, @unchecked Sendable {
        /// Whether there is one. True also where only trying it can tell.
        public let isSet: Bool

        init(_ facts: Facts) {
            isSet = facts.isPasswordSet
            super.init(
                isUsable: facts.isPasswordSet, localizedName: Words.inPersonsLanguage { tr("Password") },
                iconSystemName: "key.fill")
        }
    }

    /// A paired device. Doesn't come about on Linux.
    open class MechanismCompanion: Mechanism, @unchecked Sendable {
        public let type: LACompanionType
        public let stateHash: Data?

        init(_ type: LACompanionType) {
            self.type = type
            stateHash = nil
            super.init(isUsable: false, localizedName: "", iconSystemName: "")
        }
    }

    /// What the daemon has said, as far as it is shown.
    struct Facts: Hashable, Sendable {
        let hasReader: Bool
        let isFingerUsable: Bool
        let isLockedOut: Bool
        let isSensorShut: Bool
        let domainState: [UInt8]?
        let isPasswordSet: Bool

        init(_ examination: Examination) {
            hasReader = examination.hasReader ?? false
            isFingerUsable = examination.denial == nil
            isLockedOut = examination.denial?.code == .biometryLockout
            isSensorShut = examination.isLidShut && examination.isReaderBuiltIn
            domainState = examination.domainState
            isPasswordSet = examination.isPasswordSet != false
        }
    }
}
