import BioauthCore
import BioauthSystem
import BioauthWire
import CLinux
import Glibc

/// A received message that holds a secret. Its memory is locked before the bytes arrive; they are never copied, and
/// are wiped when the owner goes.
final class SecretMessage {
    // Nobody else holds a reference to its storage: writing would wipe a copy otherwise.
    private var bytes: [UInt8]

    /// Takes the next message from the socket without waiting.
    ///
    /// - Throws: `noAnswer` when the peer is gone, `problem` for an oversized message.
    init(from socket: borrowing SeqpacketSocket) throws(Failure) {
        let raw = socket.descriptor.raw
        var length = -1
        var failure: Int32 = 0
        bytes = [UInt8](unsafeUninitializedCapacity: Limits.messageBytes) { buffer, count in
            // Where that isn't permitted, as in some containers, the unit's own ban on swapping has to do.
            mlock(buffer.baseAddress, buffer.count)
            length = clinux_receive(raw, buffer.baseAddress, Limits.messageBytes)
            failure = errno
            count = min(max(length, 0), Limits.messageBytes)
        }
        if length < 0 { throw .noAnswer(SystemError("recv", errno: failure).description) }
        if length == 0 { throw .noAnswer("the peer left without a word") }
        if length > Limits.messageBytes { throw .problem(.oversized) }
    }

    deinit { forget() }

    /// Wipes the message before its owner goes.
    func forget() { wipe(&bytes) }

    /// What the message says; of a secret in it, where it lies.
    func decoded() throws(Failure) -> ClientMessage {
        do {
            return try ClientMessage(decoding: bytes)
        } catch {
            throw .problem(error.problem)
        }
    }

    /// Lends the bytes in that range.
    func withSecret<R>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
}
