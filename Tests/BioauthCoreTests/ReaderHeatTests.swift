import BioauthCore
import Testing

/// A reader that gets too hot: it is left alone until it has cooled down.
@Suite struct ReaderHeatTests {
    let job = Ask.sudo(1, of: 1001).job
    let other = Ask.sudo(2, of: 1002).job

    @Test func `nothing is started at it while it is hot, however long, and what waits is when it has cooled down`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        let hot = ReaderStanding.failing(.readerHot, since: reader.now)
        #expect(reader.heated(true) == [.standing(hot)])
        #expect(reader.completed(.hot) == [])
        #expect(reader.wants(other) == [])
        #expect(reader.wait(.seconds(29)) == [])
        #expect(reader.life.current == hot)
        #expect(reader.heated(false) == [.standing(.good), .start(other)])
    }

    @Test func `it is closed meanwhile like one that nobody wants, and opened again when it has cooled down`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        reader.heated(true)
        reader.completed(.hot)
        #expect(reader.wait(.seconds(30)) == [.close])
        #expect(reader.closed() == [])
        #expect(reader.wait(.seconds(3600)) == [])
        #expect(reader.heated(false) == [.standing(.good), .open])
        #expect(reader.opened() == [.standing(.good), .start(job)])
    }

    @Test func `a touch that was compared as it got hot counts, and the next waits`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.finger(true)
        reader.heated(true)
        #expect(reader.shown() == [])
        reader.finger(false)
        #expect(reader.wants(other) == [])
        #expect(reader.completed() == [])
        #expect(reader.wait(.seconds(2)) == [])
        #expect(reader.heated(false) == [.standing(.good), .start(other)])
    }

    @Test func `an action that the heat doesn't end in time is given up like any other`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        reader.heated(true)
        #expect(reader.wait(.milliseconds(4999)) == [])
        #expect(reader.wait(.milliseconds(1)).last == .giveUp)
    }

    @Test func `one that fails while it is hot is opened again, and stays hot`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        reader.heated(true)
        let failed = ReaderLife.Action.standing(.failing(.readerFailed, since: reader.now))
        #expect(reader.completed(.failed("protocol")) == [failed, .close])
        reader.closed()
        let since = reader.now
        #expect(reader.wait(.milliseconds(100)) == [.open])
        #expect(reader.opened() == [.standing(.failing(.readerHot, since: since))])
        #expect(reader.heated(false) == [.standing(.good), .start(job)])
    }

    @Test func `where a driver says it without libfprint, nobody will tell, so it is tried with growing delays`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.brush()
        for milliseconds in [100, 200, 400] {
            let hot = ReaderLife.Action.standing(.failing(.readerHot, since: reader.now))
            #expect(reader.completed(.hot) == [hot, .close])
            reader.closed()
            #expect(reader.wait(.milliseconds(milliseconds - 1)) == [])
            #expect(reader.wait(.milliseconds(1)) == [.open])
            #expect(reader.opened() == [.standing(.good), .start(job)])
        }
    }

    @Test func `another reader, or the same one plugged in again, is cool`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.heated(true)
        reader.removed()
        reader.added()
        #expect(reader.opened() == [.standing(.good), .start(job)])
        #expect(reader.heated(false) == [])
    }
}
