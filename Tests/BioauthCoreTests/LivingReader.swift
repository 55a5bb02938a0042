import BioauthCore
import Testing

/// A reader's life with a clock set by hand, ticked when it asks to be.
struct LivingReader {
    typealias Actions = [ReaderLife.Action]

    private(set) var life: ReaderLife
    private(set) var now = Instant(nanoseconds: 0) + .seconds(1000)

    /// A reader that was plugged in and has been opened.
    init(keptWarm: Duration = .seconds(30)) {
        self.init(unplugged: keptWarm)
        added()
        opened()
    }

    init(unplugged keptWarm: Duration) {
        life = ReaderLife(keptWarm: keptWarm)
    }

    @discardableResult mutating func added() -> Actions { life.added(at: now) }
    @discardableResult mutating func removed() -> Actions { life.removed(at: now) }
    @discardableResult mutating func wants(_ job: Job?) -> Actions { life.wants(job, at: now) }
    @discardableResult mutating func opened(_ fault: ReaderFault? = nil) -> Actions { life.opened(fault, at: now) }
    @discardableResult mutating func closed() -> Actions { life.closed(at: now) }
    @discardableResult mutating func finger(_ present: Bool) -> Actions { life.finger(present, at: now) }
    @discardableResult mutating func shown(retry: Bool = false) -> Actions { life.shown(retry: retry, at: now) }
    @discardableResult mutating func completed(_ fault: ReaderFault? = nil) -> Actions {
        life.completed(fault, at: now)
    }
    @discardableResult mutating func slept() -> Actions { life.slept(at: now) }
    @discardableResult mutating func woke() -> Actions { life.woke(at: now) }
    @discardableResult mutating func progressed(isLast: Bool = false) -> Actions {
        life.progressed(isLast: isLast, at: now)
    }
    @discardableResult mutating func heated(_ isHot: Bool) -> Actions { life.heated(isHot, at: now) }
    @discardableResult mutating func errands(_ pending: Bool) -> Actions { life.errands(pending, at: now) }
    /// - Parameter more: whether there is another.
    @discardableResult mutating func errandDone(_ fault: ReaderFault? = nil, more: Bool = false) -> Actions {
        life.errands(more, at: now) + life.errandDone(fault, at: now)
    }
    mutating func configured(keptWarm: Duration) -> Actions { life.configured(keptWarm: keptWarm, at: now) }

    /// A finger comes and goes: from now on the driver is known to tell of fingers.
    mutating func brush() {
        finger(true)
        finger(false)
    }

    /// Time passes; whatever falls due on the way happens then.
    @discardableResult mutating func wait(_ time: Duration) -> Actions {
        let end = now + time
        var actions: Actions = []
        while let due = life.nextDeadline, due <= end {
            #expect(due > now, "a deadline that has passed already would be ticked for ever")
            guard due > now else { break }
            now = due
            actions += life.tick(at: now)
        }
        now = end
        return actions
    }
}
