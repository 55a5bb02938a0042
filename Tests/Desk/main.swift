/// Plays months to the daemon's decisions alone: the first ten thousand, or so many, or the one of a seed, event by event.
///
/// usage: bioauth-month [--first COUNT | SEED]

let arguments = Array(CommandLine.arguments.dropFirst())
let number = arguments.last.flatMap { UInt64($0) }

func play(first count: UInt64) {
    for seed in 1...count {
        guard let outcome = MonthRun(seed: seed).outcome else { continue }
        end("\(outcome)\nOnce more, event by event: make month SEED=\(seed)", 1)
    }
    end("\(count) months kept every rule", 0)
}

switch (arguments.count, number) {
case (0, _):
    play(first: 10_000)
case (2, let count?) where arguments[0] == "--first" && count > 0:
    play(first: count)
case (1, let seed?):
    let run = MonthRun(seed: seed) { print($0) }
    end(run.outcome ?? "all is well", run.outcome == nil ? 0 : 1)
default:
    end("usage: bioauth-month [--first COUNT | SEED]", 2)
}
