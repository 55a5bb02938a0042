public import Foundation

/// What Foundation on Linux needs to know so that the two are each other's, as on Apple's systems: without it
/// `error as! NSError` traps.
extension LAError: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSError { _nsError }

    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) {
        guard _conditionallyBridgeFromObjectiveC(source, result: &result) else {
            preconditionFailure("\(source) is no LAError")
        }
    }

    /// An error whose code isn't known is none: there would be no `code` that it could give.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) -> Bool {
        result = nil
        guard source.domain == LAErrorDomain, let code = Code(rawValue: source.code) else { return false }
        // Somebody else's may have no words yet.
        result =
            source.userInfo[NSLocalizedDescriptionKey] is String
            ? LAError(_nsError: source) : LAError(code, userInfo: source.userInfo)
        return true
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> LAError {
        var result: LAError?
        guard let source, _conditionallyBridgeFromObjectiveC(source, result: &result), let result else {
            preconditionFailure("no LAError: \(String(describing: source))")
        }
        return result
    }
}

/// Where a function of Apple's leaves its error: `&error` of a variable of type `NSError?`, or nil.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
