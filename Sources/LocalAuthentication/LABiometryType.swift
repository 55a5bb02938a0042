/// What the machine recognises people by.
public enum LABiometryType: Int, Sendable {
    /// It has no reader, or nobody has asked yet.
    case none = 0
    /// Fingers.
    case touchID = 1
    /// Doesn't come about on Linux.
    case faceID = 2
    /// Doesn't come about on Linux.
    case opticID = 4

    /// `none` by its former name.
    @available(*, deprecated, renamed: "none")
    public static var LABiometryNone: LABiometryType { .none }
}
