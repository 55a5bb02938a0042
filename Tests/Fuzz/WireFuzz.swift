import BioauthCore
import BioauthWire

/// Gives the bytes to both sides' readers. What is read must be written again as bytes that are read as the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let message = try? ClientMessage(decoding: bytes) {
        if case .password(let account, let secret, let wantsTicket) = message {
            checkPassword(account, Array(bytes[secret]), wantsTicket)
        } else {
            let written = message.encoded()
            let again = try? ClientMessage(decoding: written)
            precondition(again == message && again?.encoded() == written)
        }
    }
    if let message = try? DaemonMessage(decoding: bytes) {
        let written = message.encoded()
        let again = try? DaemonMessage(decoding: written)
        precondition(again == message && again?.encoded() == written)
    }
    return 0
}

/// A password stands outside its message's value: what counts is the secret itself.
private func checkPassword(_ account: Account, _ secret: [UInt8], _ wantsTicket: Bool) {
    let written = ClientMessage.encodePassword(account, secret: secret, wantsTicket: wantsTicket)
    guard case .password(account, let again, wantsTicket)? = try? ClientMessage(decoding: written),
        Array(written[again]) == secret
    else { preconditionFailure() }
}
