import BioauthCore
import Glibc
import SyntheticFingers
import Testing

/// Gestures at libfprint's own virtual reader.
@Suite(.serialized) @MainActor struct VirtualReaderTests {
    @Test func `A touch waits until the reader is opened and wants a finger`() throws {
        let reader = try LiveReader()
        try reader.open()
        let prints = [try print(at: reader)]
        try reader.close()
        let person = reader.person()
        let touch = Background { try person.touch(image) }
        try reader.open()
        try reader.close()
        try reader.open()
        #expect(!touch.isOver)
        let scan = reader.arm(prints)
        try turn { scan.done != nil }
        try touch.value()
        #expect(scan.shown == .noMatch)
        try reader.close()
    }

    @Test func `A touch that nobody waited for is never felt`() throws {
        let reader = try LiveReader()
        let hasty = reader.person(patience: .milliseconds(50))
        #expect(throws: VirtualReaderError.notReached) { try hasty.touch(image) }
        try reader.open()
        let prints = [try print(at: reader)]
        #expect(throws: VirtualReaderError.notReached) { try Background { try hasty.touch(image) }.value() }

        let scan = reader.arm(prints)
        let person = reader.person()
        let feeling = Background { try person.finger(on: true) }
        try feeling.value()
        #expect(scan.shown == nil)
        try Background { try person.touch(image) }.value()
        try turn { scan.done != nil }
        #expect(scan.shown == .noMatch)
        try reader.close()
    }

    @Test func `Two touches at once are felt one after the other`() throws {
        let reader = try LiveReader()
        try reader.open()
        let prints = [try print(at: reader)]
        let person = reader.person()
        let touches = (0..<2).map { _ in Background { try person.touch(image) } }
        for _ in touches {
            let scan = reader.arm(prints)
            try turn { scan.done != nil }
            #expect(scan.shown == .noMatch)
        }
        for touch in touches { try touch.value() }
        try reader.close()
    }

    @Test func `A finger that stays keeps the reader from being done`() throws {
        let reader = try LiveReader()
        try reader.open()
        let person = reader.person()
        let scan = reader.arm([try print(at: reader)])
        try Background { try person.touch(image, lifting: false) }.value()
        try turn { scan.shown != nil }
        #expect(scan.shown == .noMatch)
        #expect(scan.done == nil)
        try Background { try person.finger(on: false) }.value()
        try turn { scan.done != nil }
        try reader.close()
    }

    @Test(arguments: [RetryReason.general, .tooShort, .centerFinger, .removeFinger])
    func `A scan that doesn't count tells why`(reason: RetryReason) throws {
        let reader = try LiveReader()
        try reader.open()
        let person = reader.person()
        let scan = reader.arm([try print(at: reader)])
        try Background { try person.retry(Int32(reason.rawValue)) }.value()
        try turn { scan.done != nil }
        #expect(scan.shown == .retry(reason))
        try reader.close()
    }

    @Test func `An enrolment goes on after a scan that doesn't count`() throws {
        let reader = try LiveReader()
        try reader.open()
        _ = try reader.enroll(SyntheticFinger(number: 1)) { try $0.retry(Int32(RetryReason.tooShort.rawValue)) }
        try reader.close()
    }

    @Test func `The reader fails as it is told to`() throws {
        let reader = try LiveReader()
        try reader.open()
        let person = reader.person()
        let scan = reader.arm([try print(at: reader)])
        try Background { try person.error(0x101) }.value()
        try turn { scan.done != nil }
        #expect(throws: ReaderFault.hot) { try scan.done?.get() }
        try reader.close()
    }

    @Test func `The plug can be pulled`() throws {
        let reader = try LiveReader()
        try reader.open()
        let person = reader.person()
        let scan = reader.arm([try print(at: reader)])
        try Background { try person.unplug() }.value()
        try turn { scan.done != nil }
        #expect(throws: ReaderFault.unplugged) { try scan.done?.get() }
        #expect(reader.isRemoved)
    }

    @Test func `A path that can't be a socket's is refused at once`() {
        for path in ["", "/tmp/" + String(repeating: "x", count: 103), "/tmp/a\0b"] {
            let person = VirtualReader(socketPath: path, patience: .seconds(3600))
            #expect(throws: VirtualReaderError.unusablePath) { try person.unplug() }
        }
        let person = VirtualReader(socketPath: "/dev/null/reader", patience: .seconds(3600))
        #expect(throws: VirtualReaderError.refused(ENOTDIR)) { try person.unplug() }
    }
}

private let image = SyntheticFinger(number: 0).impression(5)

/// A stranger's print, so that there is something to compare a touch with.
@MainActor private func print(at reader: LiveReader) throws -> StoredPrint {
    try reader.enroll(SyntheticFinger(number: 1))
}
