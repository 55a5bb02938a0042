import BioauthCore
import Testing

/// A reader that doesn't do in its time what it has to.
@Suite struct ReaderHangTests {
    let job = Ask.sudo(1, of: 1001).job
    let enrollment = Ask.enrollment(1, of: 1001).enrollJob

    private func failing(_ reader: LivingReader) -> ReaderLife.Action {
        .standing(.failing(.readerFailed, since: reader.now))
    }

    @Test func `an opening that takes 15 s is cancelled, and tried again once it has ended`() {
        var reader = LivingReader(unplugged: .zero)
        reader.added()
        reader.opened()
        reader.closed()
        reader.wants(job)
        #expect(reader.wait(.milliseconds(14_999)) == [])
        let actions = reader.wait(.milliseconds(1))
        #expect(actions == [failing(reader), .cancel])
        #expect(reader.opened(.cancelled) == [failing(reader)])
        #expect(reader.wait(.milliseconds(100)) == [.open])
        #expect(reader.opened() == [.standing(.good), .start(job)])
    }

    @Test func `one that succeeds all the same is as good as any`() {
        var reader = LivingReader(unplugged: .seconds(30))
        reader.added()
        reader.wait(.seconds(15))
        #expect(reader.opened() == [.standing(.good)])
    }

    @Test func `one that doesn't end within 5 s of that is given up, and nothing is asked of the device any more`() {
        var reader = LivingReader(unplugged: .zero)
        reader.added()
        reader.opened()
        reader.closed()
        reader.wants(job)
        reader.wait(.seconds(15))
        let since = reader.now
        #expect(reader.wait(.milliseconds(4999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.standing(.failing(.readerFailed, since: since)), .giveUp])
        #expect(reader.life.nextDeadline == nil)
        #expect(reader.wants(nil) == [] && reader.opened() == [] && reader.completed() == [] && reader.closed() == [])
        #expect(reader.removed() == [.standing(.absent)])
        #expect(reader.added() == [.standing(.unproven), .open])
    }

    @Test func `one that has never been open has a minute for that`() {
        var reader = LivingReader(unplugged: .seconds(30))
        reader.added()
        #expect(reader.wait(.seconds(15)) == [failing(reader), .cancel])
        #expect(reader.wait(.milliseconds(59_999)) == [])
        #expect(reader.wait(.milliseconds(1)).last == .giveUp)
    }

    @Test func `a closing that takes 10 s is cancelled, and given up 5 s later`() {
        var reader = LivingReader(keptWarm: .seconds(30))
        #expect(reader.wait(.seconds(30)) == [.close])
        #expect(reader.wait(.milliseconds(9999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.cancel])
        var ending = reader
        #expect(ending.closed() == [])
        #expect(ending.wants(job) == [.open])
        #expect(reader.wait(.milliseconds(4999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [failing(reader), .giveUp])
    }

    @Test func `a reader that waits for a finger has as long as that takes`() {
        var reader = LivingReader()
        reader.wants(job)
        #expect(reader.wait(.seconds(3600)) == [])
        reader.finger(true)
        #expect(reader.wait(.seconds(3600)) == [])
    }

    @Test func `a finger that has gone and showed nothing for 10 s ends the action, and the device is opened again`() {
        for fault in [nil, ReaderFault.cancelled, .failed("cancelled in a way of its own")] {
            var reader = LivingReader()
            reader.wants(job)
            reader.brush()
            #expect(reader.wait(.milliseconds(9999)) == [])
            #expect(reader.wait(.milliseconds(1)) == [.cancel])
            #expect(reader.life.outcome(fault) == .hung)
            #expect(reader.completed(fault) == [failing(reader), .close])
            #expect(reader.closed() == [])
            #expect(reader.wait(.milliseconds(100)) == [.open])
            #expect(reader.opened() == [.standing(.good), .start(job)])
        }
    }

    @Test func `unplugged meanwhile it is unplugged`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        reader.wait(.seconds(10))
        #expect(reader.life.outcome(.unplugged) == .unplugged)
        #expect(reader.completed(.unplugged) == [.standing(.absent)])
    }

    @Test func `a finger that comes again in that time begins anew`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        #expect(reader.wait(.seconds(9)) == [])
        reader.finger(true)
        #expect(reader.wait(.seconds(60)) == [])
        reader.finger(false)
        #expect(reader.wait(.milliseconds(9999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.cancel])
    }

    @Test func `each touch of an enrolment is answered in that time, whichever way round the reader tells it`() {
        var reader = LivingReader()
        reader.wants(enrollment)
        reader.finger(true)
        reader.progressed()
        reader.finger(false)
        #expect(reader.wait(.seconds(60)) == [])
        reader.brush()
        reader.progressed()
        #expect(reader.wait(.seconds(60)) == [])
        reader.brush()
        #expect(reader.wait(.milliseconds(9999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.cancel])
        #expect(reader.life.outcome(.cancelled) == .hung)
    }

    @Test func `an action that doesn't complete within 30 s of its answer is cancelled, and the device serves on`() {
        for job in [job, enrollment] {
            var reader = LivingReader()
            reader.wants(job)
            reader.finger(true)
            if job == enrollment { reader.progressed(isLast: true) } else { reader.shown() }
            #expect(reader.wait(.milliseconds(29_999)) == [])
            #expect(reader.wait(.milliseconds(1)) == [.cancel])
            #expect(reader.life.outcome(.cancelled) == .cancelled)
            #expect(reader.completed(.cancelled) == [])
            #expect(reader.wait(.seconds(1)) == [.start(job)])
        }
    }

    @Test func `a cancelled action has 5 s to end, and 15 s where a finger may be there`() {
        let fingers: [(String, finger: (inout LivingReader) -> Void, untilCancel: Duration, bound: Duration)] = [
            ("none", { $0.brush() }, .seconds(2), .seconds(5)),
            ("one", { $0.finger(true) }, .seconds(10), .seconds(15)),
            ("who knows", { _ in }, .zero, .seconds(15)),
        ]
        for (name, finger, untilCancel, bound) in fingers {
            var reader = LivingReader()
            reader.wants(job)
            finger(&reader)
            #expect(reader.wants(nil) + reader.wait(untilCancel) == [.cancel], "\(name)")
            #expect(reader.wait(bound - .milliseconds(1)) == [], "\(name)")
            #expect(reader.wait(.milliseconds(1)) == [failing(reader), .giveUp], "\(name)")
        }
    }
}
