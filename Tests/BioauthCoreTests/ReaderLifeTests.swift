import BioauthCore
import Testing

/// The reader's life, rule by rule.
@Suite struct ReaderLifeTests {
    let job = Ask.sudo(1, of: 1001).job
    let other = Ask.sudo(2, of: 1002).job

    // MARK: Open and closed

    @Test func `a reader is opened once when it is plugged in, so that it is known to work`() {
        var reader = LivingReader(unplugged: .seconds(30))
        #expect(reader.life.current == .absent)
        #expect(reader.added() == [.standing(.unproven), .open])
        #expect(reader.opened() == [.standing(.good)])
        #expect(reader.life.isOpen)
    }

    @Test func `what is wanted before it is open is started when it is`() {
        var reader = LivingReader(unplugged: .seconds(30))
        reader.added()
        #expect(reader.wants(job) == [])
        #expect(reader.opened() == [.standing(.good), .start(job)])
        #expect(reader.life.isScanning)
    }

    @Test func `it stays warm for a while after its last use, then closes and is no less good`() {
        var reader = LivingReader(keptWarm: .seconds(30))
        #expect(reader.wait(.milliseconds(29_999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.close])
        #expect(reader.closed() == [])
        #expect(reader.life.current == .good)
        #expect(reader.life.isAtRest)
        #expect(reader.life.nextDeadline == nil)
        #expect(reader.wants(job) == [.open])
        #expect(reader.opened() == [.standing(.good), .start(job)])
    }

    @Test func `a use renews its warmth`() {
        var reader = LivingReader(keptWarm: .seconds(30))
        reader.wait(.seconds(20))
        #expect(reader.wants(job) == [.start(job)])
        reader.wait(.seconds(20))
        #expect(reader.wants(nil) == [.cancel])
        #expect(reader.completed(.cancelled) == [])
        #expect(reader.wait(.milliseconds(29_999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.close])
    }

    @Test func `it is opened again when something is wanted while it closes`() {
        var reader = LivingReader(keptWarm: .seconds(30))
        reader.wait(.seconds(30))
        #expect(reader.wants(job) == [])
        #expect(reader.closed() == [.open])
    }

    @Test func `a shorter warmth holds at once`() {
        var reader = LivingReader(keptWarm: .seconds(30))
        reader.wait(.seconds(10))
        #expect(reader.configured(keptWarm: .seconds(20)) == [])
        #expect(reader.configured(keptWarm: .seconds(10)) == [.close])
    }

    @Test func `with no warmth it closes after each use, not before the finger has gone`() {
        var reader = LivingReader(unplugged: .zero)
        reader.added()
        #expect(reader.opened() == [.standing(.good), .close])
        reader.wants(job)
        #expect(reader.closed() == [.open])
        #expect(reader.opened() == [.standing(.good), .start(job)])
        reader.shown()
        reader.wants(nil)
        #expect(reader.completed() == [])
        #expect(reader.wait(.milliseconds(999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.close])
    }

    // MARK: Failures

    @Test func `after a failure to open it is tried again after 100 ms, doubling up to 3 s, though nobody waits`() {
        var reader = LivingReader(unplugged: .seconds(30))
        let since = reader.now
        reader.added()
        for milliseconds in [100, 200, 400, 800, 1600, 3000, 3000, 3000] {
            #expect(reader.opened(.failed("no answer")) == [.standing(.failing(.readerFailed, since: since))])
            #expect(reader.wait(.milliseconds(milliseconds - 1)) == [])
            #expect(reader.wait(.milliseconds(1)) == [.open])
        }
        #expect(reader.opened() == [.standing(.good)])
    }

    @Test func `a request doesn't hurry it`() {
        var reader = LivingReader(unplugged: .seconds(30))
        reader.added()
        reader.opened(.failed("no answer"))
        #expect(reader.wants(job) == [])
        #expect(reader.wait(.milliseconds(99)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.open])
    }

    @Test func `an action that fails closes it, and it is opened again after a delay`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        reader.wait(.seconds(5))
        #expect(reader.completed(.hot) == [.standing(.failing(.readerHot, since: reader.now)), .close])
        #expect(reader.closed() == [])
        #expect(reader.wait(.milliseconds(99)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.open])
        #expect(reader.opened() == [.standing(.good), .start(job)])
    }

    @Test func `the delay grows also while it opens well and then fails`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        for milliseconds in [100, 200, 400, 800, 1600, 3000, 3000] {
            reader.completed(.failed("protocol"))
            reader.closed()
            #expect(reader.wait(.milliseconds(milliseconds - 1)) == [])
            #expect(reader.wait(.milliseconds(1)) == [.open])
            #expect(reader.opened() == [.standing(.good), .start(job)])
        }
    }

    @Test(arguments: [nil, ReaderFault.cancelled])
    func `an action that completes well ends the growth`(fault: ReaderFault?) {
        var reader = LivingReader()
        reader.wants(job)
        for _ in 1...3 {
            reader.completed(.failed("protocol"))
            reader.closed()
            reader.wait(.seconds(10))
            reader.opened()
        }
        reader.completed(fault)
        reader.wait(.seconds(1))
        reader.completed(.failed("protocol"))
        reader.closed()
        #expect(reader.wait(.milliseconds(100)) == [.open])
    }

    @Test func `what failed once and then opens well is closed for good when nobody needs it`() {
        var reader = LivingReader(keptWarm: .seconds(30))
        reader.wants(job)
        reader.completed(.failed("protocol"))
        reader.wants(nil)
        reader.closed()
        #expect(reader.wait(.milliseconds(100)) == [.open])
        reader.opened()
        #expect(reader.wait(.seconds(30)) == [.close])
        #expect(reader.closed() == [])
        #expect(reader.life.nextDeadline == nil)
    }

    // MARK: One touch, one request

    @Test func `the same request is armed again after a touch that didn't answer it`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.finger(true)
        reader.shown()
        reader.finger(false)
        #expect(reader.completed() == [.start(job)])
    }

    @Test func `the next is started when the action has completed and the finger has gone`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.finger(true)
        reader.shown()
        #expect(reader.wants(other) == [])
        #expect(reader.finger(false) == [])
        #expect(reader.completed() == [.start(other)])
    }

    @Test func `one second after completion where the finger wasn't seen to go`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.finger(true)
        reader.shown()
        reader.wants(other)
        #expect(reader.completed() == [])
        #expect(reader.wait(.milliseconds(999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.start(other)])
    }

    @Test func `one second after completion where the driver tells of no fingers`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.shown()
        reader.wants(other)
        #expect(reader.completed() == [])
        #expect(reader.wait(.milliseconds(999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.start(other)])
    }

    @Test func `also after a cancelled action: a finger may have come unseen`() {
        var reader = LivingReader()
        reader.wants(job)
        #expect(reader.wants(other) == [.cancel])
        #expect(reader.completed(.cancelled) == [])
        #expect(reader.wait(.milliseconds(999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.start(other)])
    }

    @Test func `at once where the driver tells of fingers and told of none`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        reader.wait(.seconds(2))
        #expect(reader.wants(other) == [.cancel])
        #expect(reader.completed(.cancelled) == [.start(other)])
        #expect(reader.wants(job) == [.cancel])
        #expect(reader.completed(.cancelled) == [.start(job)])
    }

    @Test func `at once for the same request after a scan that was no good, a second later for another`() {
        for next in [job, other] {
            var reader = LivingReader()
            reader.wants(job)
            reader.finger(true)
            reader.shown(retry: true)
            reader.wants(next)
            // libfprint takes the finger for gone, wherever it is.
            reader.finger(false)
            #expect(reader.completed() == (next == job ? [.start(job)] : []))
            if next == other {
                #expect(reader.wait(.milliseconds(999)) == [])
                #expect(reader.wait(.milliseconds(1)) == [.start(other)])
            }
        }
    }

    @Test func `a finger that goes only while a cancelled action ends may be there still`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.finger(true)
        reader.wants(other)
        #expect(reader.wait(ReaderLife.fingerPatience) == [.cancel])
        #expect(reader.finger(false) == [])
        #expect(reader.completed(.cancelled) == [])
        #expect(reader.wait(.milliseconds(999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.start(other)])
    }

    @Test func `what another driver told of fingers is forgotten with it`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        reader.removed()
        reader.added()
        reader.opened()
        reader.wants(other)
        #expect(reader.completed(.cancelled) == [])
    }

    @Test func `also after a failure the next waits until the finger may be taken for gone`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.finger(true)
        reader.shown()
        reader.completed(.failed("protocol"))
        reader.closed()
        #expect(reader.wait(.milliseconds(100)) == [.open])
        #expect(reader.opened() == [.standing(.good)])
        #expect(reader.wait(.milliseconds(899)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.start(job)])
    }

    @Test func `an action isn't cancelled while a finger is there, nor before what it showed may be compared`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.finger(true)
        #expect(reader.wants(nil) == [])
        #expect(reader.wait(.seconds(5)) == [])
        #expect(reader.finger(false) == [])
        #expect(reader.wait(.milliseconds(1999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.cancel])
    }

    @Test func `it isn't cancelled either when the finger had gone before it became unwanted`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        reader.wait(.seconds(1))
        #expect(reader.wants(nil) == [])
        #expect(reader.wait(.milliseconds(999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.cancel])
    }

    @Test func `what is compared in that time is left to complete`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        reader.wants(nil)
        reader.wait(.seconds(1))
        reader.shown()
        #expect(reader.wait(.seconds(29)) == [])
        #expect(reader.completed() == [])
    }

    @Test func `a finger that comes in that time means another's prompt: what it shows is nobody's`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        reader.wants(other)
        #expect(reader.life.isTouchMeant)
        reader.finger(true)
        #expect(!reader.life.isTouchMeant)
        // Nor when the action is wanted again: it ends with the finger, and another begins.
        reader.wants(job)
        #expect(!reader.life.isTouchMeant)
        #expect(reader.finger(false) == [.cancel])
        #expect(reader.completed(.cancelled) == [.start(job)])
        reader.finger(true)
        reader.wants(other)
        #expect(reader.life.isTouchMeant)
    }

    @Test func `so does one that comes while the action is being ended`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.wants(nil)
        reader.finger(true)
        #expect(!reader.life.isTouchMeant)
    }

    @Test func `after ten seconds it is cancelled nevertheless`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.finger(true)
        reader.wait(.seconds(60))
        #expect(reader.wants(other) == [])
        #expect(reader.wait(.milliseconds(9999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.cancel])
        #expect(reader.completed(.cancelled) == [])
        #expect(reader.wait(.seconds(1)) == [.start(other)])
    }

    @Test func `an action that is wanted again goes on`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.finger(true)
        reader.wants(nil)
        reader.wait(.seconds(5))
        #expect(reader.wants(job) == [])
        #expect(reader.wait(.seconds(60)) == [])
        #expect(reader.finger(false) == [])
        #expect(reader.wait(.seconds(9)) == [])
        #expect(reader.life.isScanning)
    }

    @Test func `another attempt of the same request is another action`() {
        let ask = Ask.sudo(1, of: 1001)
        var reader = LivingReader()
        reader.wants(ask.job)
        reader.finger(true)
        reader.wants(nil)
        #expect(reader.wants(ask.job(attempt: 1)) == [])
        reader.finger(false)
        #expect(reader.wait(.seconds(2)) == [.cancel])
        #expect(reader.completed(.cancelled) == [.start(ask.job(attempt: 1))])
    }

    @Test func `a touch that has been compared is left to complete`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.shown()
        #expect(reader.wants(nil) == [])
        #expect(reader.wait(.seconds(29)) == [])
        #expect(reader.completed() == [])
    }

    @Test func `cancelling is asked for once`() {
        var reader = LivingReader()
        reader.wants(job)
        #expect(reader.wants(nil) == [.cancel])
        #expect(reader.wants(other) == [])
        #expect(reader.finger(true) == [])
        #expect(reader.finger(false) == [])
        #expect(reader.wait(.seconds(4)) == [])
    }
}
