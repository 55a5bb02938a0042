import BioauthCore
import Testing

/// Errands: what is done at a reader without a finger, about the prints that it keeps itself.
@Suite struct ReaderErrandTests {
    private let job = Ask.sudo(1, of: 1001).job
    private let enrollment = Job(
        owner: RequestID(number: 2), account: .test(1001), kind: .enroll(.rightIndex))

    @Test func `an errand has the reader opened, and goes before a touch`() {
        var reader = LivingReader()
        reader.wait(.seconds(30))
        reader.closed()
        #expect(reader.errands(true) == [.open])
        #expect(reader.wants(job) == [])
        #expect(reader.opened() == [.standing(.good), .runErrand])
        #expect(reader.life.isOpen)
        #expect(reader.errandDone(more: true) == [.runErrand])
        #expect(reader.errandDone() == [.start(job)])
    }

    @Test func `a touch that nobody has begun makes way for an errand, and is waited for again`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        reader.wait(.seconds(3))
        #expect(reader.errands(true) == [.cancel])
        #expect(reader.completed(.cancelled) == [.runErrand])
        #expect(reader.errandDone() == [.start(job)])
    }

    @Test func `a finger that is there, and one that has been lifted, are compared before the errand`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.finger(true)
        #expect(reader.errands(true) == [])
        reader.finger(false)
        #expect(reader.shown() == [])
        #expect(reader.completed() == [.runErrand])
    }

    @Test func `an enrolment goes on, and the errand waits for its end`() {
        var reader = LivingReader()
        reader.wants(enrollment)
        #expect(reader.errands(true) == [])
        #expect(reader.wait(.seconds(60)) == [])
        reader.progressed(isLast: true)
        reader.wants(nil)
        #expect(reader.completed() == [.runErrand])
    }

    @Test func `an errand that takes too long is cancelled, and the reader is closed and opened again`() {
        var reader = LivingReader()
        reader.errands(true)
        #expect(reader.wait(ReaderLife.errandBound) == [.cancel])
        let failing = ReaderLife.Action.standing(.failing(.readerFailed, since: reader.now))
        #expect(reader.errandDone(.cancelled) == [failing, .close])
        reader.closed()
        #expect(reader.wait(ReaderLife.firstDelay) == [.open])
    }

    @Test func `one that doesn't end then either is the reader's end`() {
        var reader = LivingReader()
        reader.errands(true)
        reader.wait(ReaderLife.errandBound)
        #expect(reader.wait(ReaderLife.cancelBound).last == .giveUp)
    }

    @Test(arguments: [.unsupported, .printMissing, .printInvalid] as [ReaderFault])
    func `a fault that is no trouble of the device's leaves it as it is`(fault: ReaderFault) {
        var reader = LivingReader()
        reader.errands(true)
        reader.wants(job)
        #expect(reader.errandDone(fault) == [.start(job)])
    }

    @Test func `a device that fails at an errand is opened again`() {
        var reader = LivingReader()
        reader.errands(true)
        #expect(reader.errandDone(.failed("protocol")).last == .close)
    }

    @Test func `the machine's sleep cuts an errand short, and it is done after it`() {
        var reader = LivingReader()
        reader.errands(true)
        #expect(reader.slept() == [.cancel])
        #expect(reader.errandDone(.cancelled, more: true) == [.close])
        #expect(reader.closed() == [])
        #expect(reader.woke() == [.standing(.unproven), .open])
        #expect(reader.opened() == [.standing(.good), .runErrand])
    }

    @Test func `nothing is done at a reader that is too hot`() {
        var reader = LivingReader()
        reader.heated(true)
        #expect(reader.errands(true) == [])
        #expect(reader.heated(false).last == .runErrand)
    }

    @Test func `one that is plugged in anew has no errands yet`() {
        var reader = LivingReader()
        reader.errands(true)
        reader.removed()
        reader.added()
        #expect(reader.opened() == [.standing(.good)])
    }
}
