import BioauthCore
import Month
import SyntheticFingers

/// What a device does by itself: how long it takes for its answers, and which it never gives.
struct PlayedDevice {
    enum Hang {
        /// It ends what is cancelled, and does nothing else.
        case untilCancelled
        case forGood
    }

    /// The finger that is on it.
    struct Finger {
        let number: Int
        let whose: Month.Finger
        /// Nil: it stays.
        let lifts: Instant?
    }

    /// A touch that it has seen, and will have compared then.
    struct Capture {
        let touch: Int
        let whose: Month.Finger
        let due: Instant
    }

    /// The call that it is at.
    struct Call {
        enum Kind: Equatable {
            case opening, closing, errand
            case scanning(Job, began: Instant)
        }

        let kind: Kind
        var isCancelled = false
        /// When it ends; nil: that is open yet.
        var ends: Instant?
        var capture: Capture?
        /// The touch that it has captured last: it isn't captured again.
        var captured: Int?
        /// That one only brushed it, and shows nothing at all.
        var wasBrushed = false
        /// Only its end is still awaited.
        var isAnswered = false
        /// Of an enrolment, so many stages are complete.
        var stage = 0
    }

    static let stages = 2

    var failsToOpen = false
    var hang: Hang?
    var finger: Finger?
    var call: Call?
    private var isCalm = false

    /// Takes its time no longer, and owes nobody an answer.
    mutating func calmDown(at now: Instant) {
        isCalm = true
        if let call, call.wasBrushed, let touch = call.captured {
            self.call!.capture = Capture(touch: touch, whose: .badScan, due: now + .milliseconds(300))
        }
        if let ends = call?.ends { call!.ends = min(ends, now + .milliseconds(600)) }
    }

    /// When it does something next.
    var due: Instant? {
        let isHung = hang == .forGood || hang == .untilCancelled && !(call?.isCancelled ?? false)
        let call = isHung ? nil : call
        return [finger?.lifts, call?.ends, call?.capture?.due].compactMap(\.self).min()
    }

    /// Sees what is asked of the device by now, and makes up its mind how long that takes.
    ///
    /// - Returns: the touch that it has captured, and what for.
    mutating func follow(
        _ reader: DeskReader, at now: Instant, _ random: inout SplitMix64
    ) -> (touch: Int, job: Job)? {
        switch reader.device {
        case .unplugged, .closed, .open: call = nil
        case .opening(let isCancelled):
            begin(.opening, isCancelled)
            // Some take seconds now and then, and some as long as is waited for.
            let time = !isCalm && random.below(30) == 0 ? 3000 + random.below(15_000) : 50 + random.below(550)
            end(isCancelled, at: now + .milliseconds(time), cancelled: now + .milliseconds(20))
        case .closing(let isCancelled):
            begin(.closing, isCancelled)
            end(isCancelled, at: now + .milliseconds(20), cancelled: now + .milliseconds(20))
        case .errand(let isCancelled):
            begin(.errand, isCancelled)
            end(isCancelled, at: now + .milliseconds(100), cancelled: now + .milliseconds(20))
        case .scanning(let scan):
            begin(.scanning(scan.job, began: scan.began), scan.isCancelled)
            let isHeld = reader.driver.waitsForLift && finger != nil
            let time = Duration.milliseconds(5 + random.below(45))
            if !isHeld && call!.isAnswered { end(scan.isCancelled, at: now + time, cancelled: now + time) }
            if !isHeld && scan.isCancelled { end(true, at: now + time, cancelled: now + time) }
            return capture(scan, at: now, &random)
        }
        return nil
    }

    private mutating func begin(_ kind: Call.Kind, _ isCancelled: Bool) {
        if call?.kind != kind || call!.isCancelled && !isCancelled { call = Call(kind: kind) }
    }

    private mutating func end(_ isCancelled: Bool, at ends: Instant, cancelled: Instant) {
        if isCancelled && !call!.isCancelled { call!.ends = min(call!.ends ?? cancelled, cancelled) }
        call!.isCancelled = isCancelled
        call!.ends = call!.ends ?? ends
    }

    private mutating func capture(
        _ scan: DeskReader.Scan, at now: Instant, _ random: inout SplitMix64
    ) -> (touch: Int, job: Job)? {
        guard let finger, !call!.isAnswered, call!.capture == nil, call!.captured != finger.number,
            !scan.isCancelled
        else { return nil }
        call!.captured = finger.number
        call!.wasBrushed = !isCalm && finger.lifts != nil && random.below(6) == 0
        let time = !isCalm && random.below(8) == 0 ? 250 + random.below(1500) : 57 + random.below(190)
        if !call!.wasBrushed {
            call!.capture = Capture(touch: finger.number, whose: finger.whose, due: now + .milliseconds(time))
        }
        return (finger.number, scan.job)
    }
}
