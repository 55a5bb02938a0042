import BioauthCore
import BioauthWire
import CModuleWire

/// A daemon's message as the module's codec reads it, its texts copied out of the datagram.
struct ModuleMessage {
    private let raw: wire_message
    private let reader: [UInt8]
    private let otherService: [UInt8]
    private let otherTTY: [UInt8]
    private let ticket: [UInt8]

    /// Nil when the codec refuses the bytes.
    init?(decoding bytes: [UInt8]) {
        var message = wire_message()
        // One byte more than there are, so that a message of none has an address too.
        let texts: [[UInt8]]? = (bytes + [0]).withUnsafeBufferPointer { buffer in
            guard wire_decode(buffer.baseAddress, bytes.count, &message) == 0 else { return nil }
            return [message.reader, message.other_service, message.other_tty, message.ticket].map {
                Array(UnsafeRawBufferPointer(start: $0.bytes, count: $0.length))
            }
        }
        guard let texts else { return nil }
        raw = message
        (reader, otherService, otherTTY, ticket) = (texts[0], texts[1], texts[2], texts[3])
    }

    /// Whether the module hears the same from it as a client in Swift.
    func says(_ message: DaemonMessage) -> Bool {
        switch message {
        case .prompt(let prompt):
            raw.type == 64 && raw.scan == prompt.scan.rawValue && raw.finger == prompt.finger?.rawValue ?? 0
                && reader == Array(prompt.reader.utf8) && Int(raw.tries_left) == prompt.triesLeft
                && (raw.again == 1) == prompt.again
        case .retry(let reason):
            raw.type == 65 && raw.retry == reason.rawValue
        case .mismatch(let left):
            raw.type == 66 && Int(raw.tries_left) == left
        case .waiting(let wait):
            raw.type == 67 && cause(or: .queued) == wait.cause
                && (has(WIRE_TAG_PLACE) ? Int(raw.place) : nil) == wait.place && endsIn == wait.endsIn
                && other == wait.other
        case .verdict(.allowed(let finger)):
            raw.type == 68 && raw.allowed == 1 && raw.finger == finger.rawValue
        case .verdict(.denied(let denial)):
            raw.type == 68 && raw.allowed == 0 && cause(or: code.standIn) == denial.cause && endsIn == denial.endsIn
                && (raw.lockout_began == 1) == denial.lockoutBegan
        case .passwordVerdict(let verdict):
            raw.type == 70 && passwordVerdict == verdict
        case .passwordAdvice(let useful):
            raw.type == 71 && (raw.useful == 1) == useful
        case .problem(let problem):
            raw.type == 77 && Problem(rawValue: UInt16(raw.problem)) ?? .malformed == problem
        case .enrolling, .status, .examination, .prints, .done, .refused, .event, .switches,
            .passwordPresence, .readers, .keptPrint:
            false
        }
    }

    private func has(_ tag: wire_tag) -> Bool { withUnsafePointer(to: raw) { wire_has($0, tag) } }

    private func cause(or fallback: Cause) -> Cause { Cause(rawValue: UInt16(raw.cause)) ?? fallback }

    private var code: DenialCode { DenialCode(rawValue: Int32(bitPattern: raw.code)) ?? .biometryNotAvailable }

    private var endsIn: Duration? { has(WIRE_TAG_ENDS_IN) ? .milliseconds(raw.ends_in) : nil }

    private var other: Asker? {
        guard !otherService.isEmpty else { return nil }
        return Asker(
            service: String(decoding: otherService, as: UTF8.self),
            tty: has(WIRE_TAG_OTHER_TTY) ? String(decoding: otherTTY, as: UTF8.self) : nil,
            pid: Int32(bitPattern: raw.other_pid))
    }

    private var passwordVerdict: PasswordVerdict {
        if raw.right == 1 { return .right(Ticket(bytes: ticket)) }
        switch cause(or: .passwordUnavailable) {
        case .passwordWrong: return .wrong
        case .noPassword: return .notSet
        case .passwordDelayed: return .delayed(endsIn ?? .zero)
        default: return .unavailable
        }
    }
}

/// What the module's codec writes for the message; nil when it refuses to, or never says such a thing.
func moduleEncoded(_ message: ClientMessage, password: String? = nil) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: Int(WIRE_MESSAGE_MAX))
    let size = buffer.count
    let count: Int32
    switch message {
    case .authenticate(let request):
        guard let tries = UInt8(exactly: request.tries), let agent = UInt32(exactly: request.agentPID ?? 0) else {
            return nil
        }
        count = withCStrings([
            request.account.name, request.service, request.tty, request.remoteHost, request.reason,
        ]) { texts in
            var asked = wire_authenticate(
                uid: request.account.uid, name: texts[0], service: texts[1], tty: texts[2], remote_host: texts[3],
                reason: texts[4], policy: request.policy.rawValue, interaction: request.interaction,
                timeout: request.timeout.wireMilliseconds, tries: tries, finger_only: request.fingerOnly,
                agent_pid: agent)
            return wire_encode_authenticate(&asked, &buffer, size)
        }
    case .cancel(let reason):
        count = wire_encode_cancel(wire_cancel_reason(UInt32(reason.rawValue)), &buffer, size)
    case .passwordUseful(let account, let service):
        count = wire_encode_password_useful(account.uid, account.name, service, &buffer, size)
    case .password(let account, _, wantsTicket: false):
        count = wire_encode_password(account.uid, account.name, password ?? "", &buffer, size)
    default:
        return nil
    }
    return count >= 0 ? Array(buffer.prefix(Int(count))) : nil
}

private func withCStrings<T>(_ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> T) -> T {
    let copies = texts.map { text in text.map { Array($0.utf8CString) } }
    // One block for all of them, each at its place.
    let block = copies.flatMap { $0 ?? [] }
    return block.withUnsafeBufferPointer { buffer in
        var at = 0
        return body(
            copies.map { copy in
                guard let copy else { return nil }
                defer { at += copy.count }
                return buffer.baseAddress! + at
            })
    }
}
