import CGLib
import Glibc

/// A program that was run to its end (`g_spawn_sync`).
public struct ChildProcess: Sendable {
    /// Its exit status, or 128 and the signal that ended it.
    public let status: Int32
    public let output: String
    public let errors: String

    /// Runs a program. Signals that this thread holds back, it holds back too; its standard input is empty.
    ///
    /// - Parameters:
    ///   - command: an absolute path and the arguments.
    ///   - environment: all that it gets, `NAME=value`; nil: this process's own.
    /// - Throws: when it could not be started.
    public init(_ command: [String], environment: [String]? = nil) throws(SystemError) {
        var (output, errors): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
        var raw: gint = 0
        var error: UnsafeMutablePointer<GError>?
        var words = command.map { g_strdup($0) } + [nil]
        var variables = (environment ?? []).map { g_strdup($0) } + [nil]
        defer { for text in words + variables { g_free(text) } }
        let started = words.withUnsafeMutableBufferPointer { words in
            variables.withUnsafeMutableBufferPointer { variables in
                g_spawn_sync(
                    nil, words.baseAddress, environment == nil ? nil : variables.baseAddress, G_SPAWN_DEFAULT, nil, nil,
                    &output, &errors, &raw, &error)
            }
        }
        defer {
            g_free(output)
            g_free(errors)
        }
        guard started != 0 else {
            let message = error.map { String(cString: $0.pointee.message) } ?? command[0]
            if let error { g_error_free(error) }
            throw SystemError(message, errno: ENOEXEC)
        }
        status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
        self.output = output.map { String(cString: $0) } ?? ""
        self.errors = errors.map { String(cString: $0) } ?? ""
    }
}
