import Month

/// One month, played from its seed until something is wrong or it is over.
struct MonthRun {
    let seed: UInt64
    /// Of the event, counted from 1, after which something was wrong; after the last one: the end itself.
    private(set) var event = 0
    private(set) var complaint: String?
    private(set) var seen: [MonthWitness.Sight: Int] = [:]

    /// What was wrong, and where, if something was.
    var outcome: String? { complaint.map { "seed \(seed), event \(event): \($0)" } }

    /// - Parameter tell: hears each event before it happens, and then what follows from it.
    init(seed: UInt64, flaw: MonthTrial.Flaw? = nil, tell: ((String) -> Void)? = nil) {
        self.seed = seed
        let readers = 1 + Int(seed / 3 % 2)
        var trial = MonthTrial(seed: seed, readers: readers, flaw: flaw, tell: tell)
        let month = Month(
            seed: seed, people: MonthTrial.people, readers: readers, events: 60 + Int(seed % 7) * 23)
        for happens in month where trial.complaints.isEmpty {
            event += 1
            tell?("\(event). \(happens)")
            trial.play(happens)
        }
        if trial.complaints.isEmpty {
            event += 1
            tell?("\(event). the end")
            trial.end()
        }
        complaint = trial.complaints.first
        seen = trial.witness.seen
    }
}
