import Foundation

/// Runs the body as another user. Credentials belong to threads: what this thread does meanwhile, a connection it makes
/// included, the kernel takes for that user's, and the rest of the process stays who it is. Root alone can do that.
public func asUser<Result: ~Copyable>(_ uid: uid_t, _ body: () throws -> Result) throws -> Result {
    let own = geteuid()
    guard setEffectiveUID(uid) else { throw POSIXError(.EPERM) }
    defer { precondition(setEffectiveUID(own)) }
    return try body()
}

/// A user that is nobody's and has no rights.
public let stranger: uid_t = 65534

/// Whether these tests run as root, who alone can be somebody else, or mount something.
public let isRoot = geteuid() == 0

/// `setresuid(2)` itself: the library's function changes every thread.
private func setEffectiveUID(_ uid: uid_t) -> Bool {
    #if arch(x86_64)
        let number = 117
    #elseif arch(arm64)
        let number = 147
    #endif
    return systemCall(number, -1, Int(uid), -1) == 0
}

private let systemCall = unsafeBitCast(
    dlsym(UnsafeMutableRawPointer(bitPattern: 0), "syscall"), to: (@convention(c) (Int, Int, Int, Int) -> Int).self)
