import BioauthCore
import Testing

/// A reader that is pulled out, and answers that come too late.
@Suite struct ReaderUnplugTests {
    let job = Ask.sudo(1, of: 1001).job
    let other = Ask.sudo(2, of: 1002).job

    enum Stage: CaseIterable {
        case opening, retrying, idle, settling, scanning, cancelled, closing, closed

        /// A reader that has come this far.
        func reader(_ job: Job) -> LivingReader {
            var reader = LivingReader(unplugged: .seconds(30))
            reader.added()
            switch self {
            case .opening: break
            case .retrying: reader.opened(.busy)
            case .idle: reader.opened()
            case .settling:
                reader.opened()
                reader.wants(job)
                reader.completed()
            case .scanning, .cancelled:
                reader.opened()
                reader.wants(job)
                if self == .cancelled { reader.wants(nil) }
            case .closing, .closed:
                reader.opened()
                reader.wait(.seconds(30))
                if self == .closed { reader.closed() }
            }
            return reader
        }
    }

    @Test(arguments: Stage.allCases)
    func `pulled out at any moment it is gone, and plugged in again it is found`(stage: Stage) {
        var reader = stage.reader(job)
        #expect(reader.removed() == [.standing(.absent)])
        #expect(reader.life.nextDeadline == nil)
        #expect(reader.life.isAtRest)
        #expect(reader.wants(nil) == [] && reader.opened() == [] && reader.completed() == [] && reader.closed() == [])
        #expect(reader.wait(.seconds(60)) == [])
        #expect(reader.added() == [.standing(.unproven), .open])
        #expect(reader.wants(other) == [])
        #expect(reader.opened() == [.standing(.good), .start(other)])
    }

    @Test func `a call that ends because the device was pulled out tells so`() {
        var reader = Stage.opening.reader(job)
        #expect(reader.opened(.unplugged) == [.standing(.absent)])
        reader = Stage.scanning.reader(job)
        #expect(reader.completed(.unplugged) == [.standing(.absent)])
    }

    @Test(arguments: Stage.allCases)
    func `answers to what wasn't asked change nothing`(stage: Stage) {
        var reader = stage.reader(job)
        let before = reader.life
        switch stage {
        case .opening: #expect(reader.completed() == [] && reader.closed() == [] && reader.shown() == [])
        case .scanning, .cancelled: #expect(reader.opened() == [] && reader.closed() == [])
        case .closing: #expect(reader.opened() == [] && reader.completed() == [] && reader.finger(true) == [])
        case .retrying, .idle, .settling, .closed:
            #expect(reader.opened(.busy) == [] && reader.completed(.hot) == [] && reader.closed() == [])
            #expect(reader.finger(true) == [] && reader.shown() == [])
        }
        #expect(reader.life == before)
    }
}
