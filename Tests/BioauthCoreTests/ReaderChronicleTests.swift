import BioauthCore
import Testing

@Suite("What is told of a reader") struct ReaderChronicleTests {
    private let reader = Told()
    private let failed = ReaderFault.failed("no answer")

    @Test("Ready is told once, however often the reader is opened and closed") func ready() {
        reader.plug()
        #expect(reader.opened() == .ready(after: nil))
        for _ in 1...3 {
            #expect(reader.keptWarm() == nil)
            #expect(reader.closed() == nil)
            #expect(reader.asked() == nil)
            #expect(reader.opened() == nil)
            #expect(reader.left() == nil)
            #expect(reader.completed(.cancelled) == nil)
        }
    }

    @Test("Hours of failing are two lines: when it began, and how long and how often it was tried")
    func hours() {
        reader.plug()
        #expect(reader.opened(failed) == .failing(.readerFailed))
        let began = reader.now
        var tries = 1
        while reader.now - began < .seconds(3600) {
            reader.waitForTry()
            #expect(reader.opened(failed) == nil)
            tries += 1
        }
        reader.waitForTry()
        let lasted = reader.now - began
        #expect(
            reader.opened()
                == .ready(after: .init(cause: .readerFailed, lasted: lasted, failures: tries)))
    }

    @Test("Another cause is told, too, each once") func causes() {
        reader.plug()
        #expect(reader.opened(failed) == .failing(.readerFailed))
        for round in 0..<3 {
            reader.waitForTry()
            #expect(reader.opened(.busy) == (round == 0 ? .failing(.readerBusy) : nil))
            reader.waitForTry()
            #expect(reader.opened(failed) == nil)
        }
    }

    @Test("Trouble that comes back before the reader has served is told once more, and ends when it has served")
    func relapse() {
        reader.plug()
        #expect(reader.opened() == .ready(after: nil))
        #expect(reader.asked() == nil)
        #expect(reader.completed(failed) == .failing(.readerFailed))
        #expect(reader.closed() == nil)
        reader.waitForTry()
        #expect(reader.opened()?.outage?.failures == 1)
        #expect(reader.completed(failed) == .failing(.readerFailed))
        for _ in 1...100 {
            #expect(reader.closed() == nil)
            reader.waitForTry()
            #expect(reader.opened() == nil)
            #expect(reader.completed(failed) == nil)
        }
        #expect(reader.closed() == nil)
        reader.waitForTry()
        #expect(reader.opened() == nil)
        #expect(reader.completed(nil)?.outage?.failures == 101)
    }

    @Test("... or has been open for a while and nothing failed") func quiet() {
        reader.plug()
        _ = reader.opened()
        _ = reader.asked()
        for _ in 1...2 {
            _ = reader.completed(failed)
            _ = reader.left()
            _ = reader.closed()
            reader.waitForTry()
            _ = reader.opened()
            _ = reader.asked()
        }
        _ = reader.completed(failed)
        _ = reader.left()
        _ = reader.closed()
        reader.waitForTry()
        #expect(reader.opened() == nil)
        #expect(reader.keptWarm()?.outage?.failures == 2)
    }

    @Test("Heat is told, and its end") func heat() {
        reader.plug()
        _ = reader.opened()
        #expect(reader.heated(true) == .failing(.readerHot))
        let began = reader.now
        reader.pass(.seconds(90))
        #expect(
            reader.heated(false)
                == .ready(after: .init(cause: .readerHot, lasted: reader.now - began, failures: 0)))
    }

    @Test("After a sleep it is told that the reader is ready again; trouble that it had before goes on")
    func sleep() {
        reader.plug()
        _ = reader.opened()
        #expect(reader.slept() == nil)
        #expect(reader.closed() == nil)
        #expect(reader.woke() == nil)
        #expect(reader.opened() == .ready(after: nil))

        #expect(reader.slept() == nil)
        #expect(reader.closed() == nil)
        #expect(reader.woke() == nil)
        #expect(reader.opened(failed) == .failing(.readerFailed))
        let began = reader.now
        #expect(reader.slept() == nil)
        reader.pass(.seconds(3600))
        #expect(reader.woke() == nil)
        #expect(reader.opened(failed) == nil)
        reader.waitForTry()
        let outage = ReaderChronicle.Outage(cause: .readerFailed, lasted: reader.now - began, failures: 2)
        #expect(reader.opened() == .ready(after: outage))
    }

    @Test("Its being lost is told once; its removal tells what trouble is over so") func ends() {
        reader.plug()
        _ = reader.opened()
        _ = reader.keptWarm()
        #expect(reader.pass(ReaderLife.closingBound) == nil)
        #expect(reader.pass(ReaderLife.cancelBound) == .lost(after: nil))
        #expect(reader.pass(.seconds(60)) == nil)

        reader.plug()
        #expect(reader.opened(failed) == .failing(.readerFailed))
        reader.pass(.seconds(1))
        #expect(reader.removed() == .init(cause: .readerFailed, lasted: .seconds(1), failures: 1))
        #expect(reader.removed() == nil)
    }
}

/// A reader's life, and what its chronicle tells of each event of it.
private final class Told {
    private(set) var now = Instant(nanoseconds: 1_000_000_000_000)
    private var life = ReaderLife(keptWarm: .seconds(30))
    private var chronicle = ReaderChronicle()
    private let job = Job(
        owner: RequestID(number: 1), account: Account(uid: 1000, name: "user"), kind: .identify, attempt: 0)

    func plug() {
        life = ReaderLife(keptWarm: .seconds(30))
        chronicle = ReaderChronicle()
        _ = take { $0.added(at: $1) }
    }

    private func take(
        _ event: (inout ReaderLife, Instant) -> [ReaderLife.Action]
    ) -> ReaderChronicle.Entry? {
        _ = event(&life, now)
        return chronicle.follow(life, at: now)
    }

    func opened(_ fault: ReaderFault? = nil) -> ReaderChronicle.Entry? { take { $0.opened(fault, at: $1) } }
    func closed() -> ReaderChronicle.Entry? { take { $0.closed(at: $1) } }
    func asked() -> ReaderChronicle.Entry? { take { [job] in $0.wants(job, at: $1) } }
    func left() -> ReaderChronicle.Entry? { take { $0.wants(nil, at: $1) } }
    /// What is wanted of it is begun, as soon as that can be, and ends.
    func completed(_ fault: ReaderFault?) -> ReaderChronicle.Entry? {
        pass(ReaderLife.settling)
        return take { $0.completed(fault, at: $1) }
    }

    func heated(_ isHot: Bool) -> ReaderChronicle.Entry? { take { $0.heated(isHot, at: $1) } }
    func slept() -> ReaderChronicle.Entry? { take { $0.slept(at: $1) } }
    func woke() -> ReaderChronicle.Entry? { take { $0.woke(at: $1) } }

    @discardableResult
    func pass(_ time: Duration) -> ReaderChronicle.Entry? {
        now = now + time
        return take { $0.tick(at: $1) }
    }

    /// As long as an idle reader stays open.
    func keptWarm() -> ReaderChronicle.Entry? { pass(.seconds(30)) }

    /// Until it is opened again.
    func waitForTry() {
        let patience = now + ReaderLife.longestDelay
        while !life.isOpening && now < patience { pass(ReaderLife.firstDelay) }
    }

    func removed() -> ReaderChronicle.Outage? { chronicle.removed(at: now) }
}

extension ReaderChronicle.Entry {
    fileprivate var outage: ReaderChronicle.Outage? { if case .ready(let outage) = self { outage } else { nil } }
}
