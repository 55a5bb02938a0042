import BioauthCore
import BioauthSystem

/// The machine's sleep: before it the readers are closed, for which the machine waits, and everybody's turn is over; after
/// it they are opened again, and who waits is asked for afresh.
extension Daemon {
    /// First the readers, both times: nobody's leaving makes one open, and nobody is prompted before one has been opened.
    func sleepChanged(_ isAsleep: Bool) {
        if isAsleep {
            asleepSince = now
            tellSleep()
            for station in stations { station.take { $0.slept(at: $1) } }
            take { $0.slept(at: $1) }
            // No touch from before does for anybody, whether or not the machine comes to sleep.
            screenUnlocks = ScreenUnlocks()
        } else {
            tellAwake(asleepSince.map { now - $0 })
            asleepSince = nil
            for station in stations { station.woke() }
            take { $0.woke(at: $1) }
        }
    }
}
