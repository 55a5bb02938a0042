import Foundation

struct Misuse: Error, CustomStringConvertible {
    let description: String
}

/// What the command line asks for.
enum Invocation {
    case help
    case measure(Measure)
    /// One of a crowd that the benchmark itself starts.
    case stranger(socketPath: String, uid: uid_t)

    struct Measure {
        var rounds = 30
        var waits = true
        /// Empty: all.
        var names: [String] = []
    }

    static let stranger = "--stranger"

    static let usage = """
        usage: bioauth-bench [--rounds N] [--no-idle-minute] [NAME...]

        Measures bioauthd side by side with fprintd, and writes the table to build/bench.json as well. Run it through
        `make bench`, which builds what is measured. Names: touch, prompt, denial, prospect, crowd,
        contention, wear, memory, stall, enrolled; all of them when none is given.

          --rounds N          medians of so many, 30 where the figures are to count, which is the default
          --no-idle-minute    leave out the figure for which it has to wait a minute
          --help              show this

        Exit status: 0 all measured, 1 something could not be measured, 2 wrong usage.

        """

    init(_ arguments: [String]) throws {
        if arguments.contains("--help") {
            self = .help
            return
        }
        if arguments.count == 3, arguments[0] == Invocation.stranger, let uid = uid_t(arguments[2]) {
            self = .stranger(socketPath: arguments[1], uid: uid)
            return
        }
        var measure = Measure()
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "--rounds":
                guard let rounds = rest.popFirst().flatMap({ Int($0) }), (1...1000).contains(rounds) else {
                    throw Misuse(description: "--rounds takes a number from 1 to 1000")
                }
                measure.rounds = rounds
            case "--no-idle-minute":
                measure.waits = false
            default:
                guard measurements(measure).contains(where: { $0.name == word }) else {
                    throw Misuse(description: "unknown measurement \(word)")
                }
                measure.names.append(word)
            }
        }
        self = .measure(measure)
    }
}
