import BioauthCore
import SyntheticFingers
import Testing

@testable import BioauthWire

/// The module's codec in C and this one: the same bytes for the same request, the same answer from the same bytes.
@Suite struct CodecAgreementTests {
    @Test func `the module's codec reads every golden vector of the daemon as it is told`() {
        for vector in GoldenVector.all {
            let read = ModuleMessage(decoding: vector.bytes)
            switch vector.meaning {
            case .message(let told, _):
                guard case .daemon(let message)? = told.value else { continue }
                #expect(read?.says(message) == true, "\(vector.name)")
            case .refused, .unknownType:
                #expect(read == nil, "\(vector.name)")
            }
        }
    }

    @Test func `the module's codec writes every golden vector of a client`() {
        for vector in GoldenVector.messages {
            guard case .message(let told, isWriters: true) = vector.meaning, case .client(let message)? = told.value
            else { continue }
            // The module never asks for a ticket.
            if case .password(_, _, wantsTicket: true) = message { continue }
            #expect(moduleEncoded(message, password: told.fields["password"]) == vector.bytes, "\(vector.name)")
        }
    }

    @Test func `both codecs write the same request as the same bytes`() {
        // The module is a host of PAM, never an app.
        for request in Samples.authentications where !request.isApp {
            #expect(moduleEncoded(.authenticate(request)) == request.encoded())
        }
        var generator = SplitMix64(2)
        var texts = (0..<40).map { _ in letters(.random(in: 0...300, using: &generator), &generator) }
        texts += ["", "a", letters(256, &generator), letters(257, &generator), "a\u{7}", "\u{85}", "é", "\u{10ffff}"]
        var taken = 0
        for _ in 0..<5000 {
            let request = Authenticate(
                account: Account(
                    uid: .random(in: .min ... .max, using: &generator), name: texts.randomElement(using: &generator)!),
                service: texts.randomElement(using: &generator)!,
                tty: Bool.random(using: &generator) ? texts.randomElement(using: &generator) : nil,
                remoteHost: Bool.random(using: &generator) ? texts.randomElement(using: &generator) : nil,
                reason: Bool.random(using: &generator) ? texts.randomElement(using: &generator) : nil,
                policy: Bool.random(using: &generator) ? .biometrics : .biometricsOrPassword,
                interaction: .random(using: &generator),
                timeout: .milliseconds(Int.random(in: 900...300_100, using: &generator)),
                tries: .random(in: 0...11, using: &generator), fingerOnly: .random(using: &generator),
                // 0 stands for none in the module's codec.
                agentPID: [nil, 1, 4242, .max, -1].randomElement(using: &generator)!)
            let bytes = request.encoded()
            // The module writes only what the daemon takes.
            let readable = (try? ClientMessage(decoding: bytes)) != nil
            #expect(moduleEncoded(.authenticate(request)) == (readable ? bytes : nil))
            taken += readable ? 1 : 0
        }
        #expect(taken > 500)
    }

    @Test func `both codecs take the same bytes for text`() {
        let prompt = RawMessage(DaemonMessage.prompt(Samples.prompts[0]).encoded())
        var generator = SplitMix64(3)
        let edges: [UInt8] = [
            0, 0x1f, 0x20, 0x7e, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec,
            0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
        ]
        var differing: [[UInt8]] = []
        func compare(_ text: [UInt8]) {
            let bytes = prompt.setting(34, text).bytes
            if ((try? DaemonMessage(decoding: bytes)) == nil) != (ModuleMessage(decoding: bytes) == nil) {
                differing.append(text)
            }
        }
        for one in UInt8.min...UInt8.max {
            compare([one])
            for two in UInt8.min...UInt8.max { compare([one, two]) }
        }
        for one in edges { for two in edges { for three in edges { compare([one, two, three]) } } }
        for _ in 0..<50_000 { compare((0..<4).map { _ in edges.randomElement(using: &generator)! }) }
        #expect(differing == [])
    }

    @Test func `both codecs take the same messages of the daemon, and read the same in them`() {
        var generator = SplitMix64(4)
        let types: Set<UInt16> = [64, 65, 66, 67, 68, 70, 71, 77]
        let originals = (GoldenVector.messages.map(\.bytes) + Samples.everyMessage).filter {
            types.contains(RawMessage($0).type)
        }
        var read = 0
        var refused = 0
        for _ in 0..<200_000 {
            let bytes = mutated(originals.randomElement(using: &generator)!, &generator)
            switch (Result { try DaemonMessage(decoding: bytes) }, ModuleMessage(decoding: bytes)) {
            case (.success(let message), let other?):
                read += 1
                if !other.says(message) { Issue.record("read otherwise: \(bytes)") }
            case (.failure, nil):
                refused += 1
            case (.success, nil):
                if types.contains(RawMessage(bytes).type), !holdsWhatNoWriterWrites(bytes) {
                    Issue.record("only Swift reads \(bytes)")
                }
            case (.failure(let error), _?):
                Issue.record("only the module reads \(bytes): \(error)")
            }
        }
        #expect(read > 10_000 && refused > 10_000, "read \(read), refused \(refused)")
    }

    /// Whether a field stands there that the module's codec checks although the message, being what it is, has none.
    private func holdsWhatNoWriterWrites(_ bytes: [UInt8]) -> Bool {
        let raw = RawMessage(bytes)
        let own: [FieldTag] =
            switch (raw.type, raw.fields.first { $0.tag == 60 || $0.tag == 16 }?.value) {
            case (64, _): [.scan, .finger, .reader, .triesLeft, .again]
            case (65, _): [.retry]
            case (66, _): [.triesLeft]
            case (67, _):
                raw.fields.contains { $0.tag == 40 && !$0.value.isEmpty }
                    ? [.cause, .place, .endsIn, .otherService, .otherTTY, .otherPID]
                    : [.cause, .place, .endsIn, .otherService]
            case (68, [1]): [.allowed, .finger]
            case (68, _): [.allowed, .code, .cause, .endsIn, .lockoutBegan]
            case (70, [1]): [.right, .ticket]
            case (70, _): [.right, .cause, .endsIn]
            case (71, _): [.useful]
            case (77, _): [.problem, .protocolVersion]
            default: []
            }
        return raw.fields.contains { field in
            FieldTag(rawValue: field.tag).map { !own.contains($0) } ?? false
        }
    }

    private func letters(_ count: Int, _ generator: inout SplitMix64) -> String {
        String((0..<count).map { _ in Character(Unicode.Scalar(UInt8.random(in: 0x20...0x7e, using: &generator))) })
    }
}
