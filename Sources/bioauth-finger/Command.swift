import SyntheticFingers

/// What the command line asks for.
enum Command: Equatable {
    enum Gesture: Equatable {
        case touch(Finger, lifting: Bool)
        case feel(Bool)
        case retry(Int32)
        case error(Int32)
        case unplug
    }

    struct Finger: Equatable {
        var number: Int
        /// Nil: one that was never made before.
        var impression: Int?
    }

    case help
    case image(Finger)
    case gesture(Gesture, reader: String, patience: Duration)

    static let usage = """
        usage: bioauth-finger touch --reader SOCKET --finger N [--impression M]
               bioauth-finger press --reader SOCKET [--finger N [--impression M]]
               bioauth-finger lift --reader SOCKET
               bioauth-finger retry CODE --reader SOCKET
               bioauth-finger error CODE --reader SOCKET
               bioauth-finger unplug --reader SOCKET
               bioauth-finger image --finger N [--impression M] > FILE.pgm

        Puts synthetic fingers on libfprint's virtual image reader, as soon as it wants one.

          touch      put the finger on the reader and lift it again
          press      put it there and leave it; without a number the reader feels a finger and sees none
          lift       take it away
          retry      make a scan that doesn't count; CODE is an FpDeviceRetry:
                     0 general, 1 too short, 2 not centred, 3 lift the finger first
          error      make the reader fail; CODE is an FpDeviceError:
                     0 general, 4 busy, 5 protocol, 257 too hot, ...
          unplug     pull the reader out
          image      write the picture the reader would get, as a portable greymap

          --reader SOCKET     the socket that FP_VIRTUAL_IMAGE names
          --finger N          which finger, from 0 up
          --impression M      which touch of it, from 0 up; left out, it is a new one each time
          --timeout SECONDS   how long to wait for the reader, 10 if left out
          -h, --help          show this

        Exit status: 0 done, 1 the picture could not be written, 2 wrong usage, 3 the reader was not reached.

        """

    /// Why the command line makes no sense.
    struct Misuse: Error {
        var words: String
    }

    init(_ arguments: [String]) throws(Misuse) {
        if arguments.contains(where: { $0 == "--help" || $0 == "-h" }) {
            self = .help
            return
        }
        var line = try CommandLineWords(arguments)
        let verb = try line.word("a command")
        switch verb {
        case "image":
            self = .image(try line.finger())
        case "touch":
            self = try line.gesture(.touch(try line.finger(), lifting: true))
        case "press":
            self = try line.gesture(line.has("--finger") ? .touch(try line.finger(), lifting: false) : .feel(true))
        case "lift":
            self = try line.gesture(.feel(false))
        case "retry":
            self = try line.gesture(.retry(try line.code()))
        case "error":
            self = try line.gesture(.error(try line.code()))
        case "unplug":
            self = try line.gesture(.unplug)
        default:
            throw Misuse(words: "unknown command \(verb)")
        }
        try line.end(of: verb)
    }
}

/// The words of a command line, taken out one after the other until none may be left.
private struct CommandLineWords {
    private var words: [String] = []
    private var options: [String: String] = [:]

    init(_ arguments: [String]) throws(Command.Misuse) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-") else {
                words.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard ["--reader", "--finger", "--impression", "--timeout"].contains(name) else {
                throw Command.Misuse(words: "unknown option \(name)")
            }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw Command.Misuse(words: "\(name) lacks its value")
            }
            guard options.updateValue(value, forKey: name) == nil else {
                throw Command.Misuse(words: "\(name) is given twice")
            }
        }
    }

    func has(_ option: String) -> Bool { options[option] != nil }

    mutating func word(_ meaning: String) throws(Command.Misuse) -> String {
        guard !words.isEmpty else { throw Command.Misuse(words: "\(meaning) is missing") }
        return words.removeFirst()
    }

    mutating func code() throws(Command.Misuse) -> Int32 {
        let word = try word("the code")
        guard let code = Int32(word), code >= 0 else { throw Command.Misuse(words: "\(word) is no code") }
        return code
    }

    mutating func finger() throws(Command.Misuse) -> Command.Finger {
        guard let number = try number("--finger") else { throw Command.Misuse(words: "--finger is missing") }
        return Command.Finger(number: number, impression: try self.number("--impression"))
    }

    mutating func gesture(_ gesture: Command.Gesture) throws(Command.Misuse) -> Command {
        guard let reader = options.removeValue(forKey: "--reader") else {
            throw Command.Misuse(words: "--reader is missing")
        }
        return .gesture(gesture, reader: reader, patience: .seconds(try number("--timeout") ?? 10))
    }

    func end(of verb: String) throws(Command.Misuse) {
        if let word = words.first { throw Command.Misuse(words: "\(word) is one word too many") }
        if let option = options.keys.sorted().first { throw Command.Misuse(words: "\(verb) takes no \(option)") }
    }

    private mutating func number(_ option: String) throws(Command.Misuse) -> Int? {
        guard let word = options.removeValue(forKey: option) else { return nil }
        guard let number = Int32(word), number >= 0 else {
            throw Command.Misuse(words: "\(option) wants a number from 0 up, not \(word)")
        }
        return Int(number)
    }
}
