import Foundation

struct Misuse: Error, CustomStringConvertible {
    let description: String
}

/// What the command line asks for.
enum Invocation {
    case help
    case soak(Soak)
    /// One of the clients that a run itself starts.
    case client(Client)

    static let client = "--client"

    static let usage = """
        usage: bioauth-soak [--seconds N] [--jobs N] [--first N] [--seed N]

        Plays simulated months to the real daemon on libfprint's virtual readers, a seed each, and looks after each whether
        what must hold does. Run it through `make soak`, which builds what is needed.

          --seconds N    begin no seed after so many seconds, 3600 by default
          --jobs N       seeds that are played at once, 2 by default
          --first N      begin with this seed, and not somewhere else each time
          --seed N       play this one alone
          --help         show this

        A seed draws the same events each time. How they meet the daemon's own steps may differ from run to run.

        Exit status: 0 everything held, 1 something didn't, 2 wrong usage.

        """

    init(_ arguments: [String]) throws {
        if arguments.contains("--help") {
            self = .help
            return
        }
        if arguments.first == Invocation.client, let client = Client(Array(arguments.dropFirst())) {
            self = .client(client)
            return
        }
        var soak = Soak()
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard let number = rest.popFirst().flatMap({ UInt64($0) }) else {
                throw Misuse(description: "\(word) takes a number")
            }
            switch word {
            case "--seconds" where number <= 1_000_000: soak.time = .seconds(Int64(number))
            case "--jobs" where (1...64).contains(number): soak.jobs = Int(number)
            case "--seed": soak.seed = number
            case "--first": soak.first = number
            default: throw Misuse(description: "unknown or out of range: \(word) \(number)")
            }
        }
        self = .soak(soak)
    }
}
