import BioauthCore
import BioauthSystem

/// A reader that compares a touch with one print only is asked print by print: each touch is for the next one. A walk
/// through all of them counts as one mismatch. That is on disk from the first touch that doesn't match, so that nobody
/// gets around it by leaving, but what follows from it is put off to the walk's end.
extension ReaderStation {
    struct Walk {
        let job: Job
        /// The print that the next touch is compared with.
        var next = 0
        var mismatch: Mismatch?
    }

    /// A mismatch that has been recorded, and what stands in the way of the account's finger since.
    struct Mismatch {
        let denial: Denial?
    }

    /// The print that a touch for the job is to be compared with.
    func nextInWalk(_ job: Job) -> Int {
        if let walk, walk.job == job, gallery.indices.contains(walk.next) { return walk.next }
        walk = Walk(job: job)
        return 0
    }

    /// The finger that the next touch of a request is for.
    func fingerInWalk(of owner: RequestID) -> Finger? {
        guard let walk, walk.job.owner == owner, gallery.indices.contains(walk.next) else { return nil }
        return gallery[walk.next].finger
    }

    /// Whether another print is left after one that didn't match. The person is asked for the next touch then.
    func goesOn(_ job: Job) -> Bool {
        guard var walk, walk.job == job else { return false }
        if walk.mismatch == nil {
            let denial = daemon.recordMismatch(job.account, job.owner)
            walk.mismatch = Mismatch(denial: denial)
            // What can't be recorded stops it here.
            if let denial, denial.code != .biometryLockout { walk.next = gallery.count }
        }
        walk.next += 1
        self.walk = walk
        guard walk.next < gallery.count else { return false }
        daemon.take { $0.goesOn(job, at: $1) }
        return true
    }

    /// Whether another print is left after one that can't be compared here: no touch is spent on that. The person is asked
    /// for the next one.
    func passesOver(_ job: Job) -> Bool {
        guard let walk, walk.job == job, walk.next + 1 < gallery.count else { return false }
        self.walk?.next += 1
        daemon.take { $0.goesOn(job, at: $1) }
        return true
    }

    /// What was recorded for the walk that has come to its end.
    func takeMismatch() -> Mismatch? {
        defer { walk = nil }
        return walk?.mismatch
    }

    /// The walk is broken off: what it has come to so far counts.
    func endWalk() {
        guard let walk, let mismatch = takeMismatch() else { return }
        daemon.take { $0.charged(walk.job.account, walk.job.owner, mismatch.denial, at: $1) }
    }
}
