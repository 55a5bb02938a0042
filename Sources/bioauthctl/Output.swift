import Glibc

/// Where words go. With `--json` standard output holds JSON alone, and what a person should see goes to standard error.
struct Output {
    let json: Bool

    /// What happens meanwhile, for the person.
    var noteDescriptor: Int32 { json ? STDERR_FILENO : STDOUT_FILENO }

    func note(_ line: String) {
        Output.write(line + "\n", to: noteDescriptor)
    }

    /// What was asked for: in words or as JSON.
    func answer(_ words: @autoclosure () -> String, _ value: @autoclosure () -> JSON) {
        Output.write((json ? value().encoded : words()) + "\n", to: STDOUT_FILENO)
    }

    func fail(_ failure: Failure) {
        if json { Output.write(failure.json.encoded + "\n", to: STDOUT_FILENO) }
        Output.write("bioauthctl: \(failure.explanation.text)\n", to: STDERR_FILENO)
    }

    /// Writes all of it at once, so that a reader at the other end of a pipe sees whole lines as they happen.
    static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) }
            // An answer that couldn't be given is no answer.
            if count < 0 && errno != EINTR { exit(ExitCode.cannotTell.rawValue) }
        }
    }
}

/// A line that is written over and over on a terminal, and line by line elsewhere.
struct ProgressLine {
    private let descriptor: Int32
    private let isTerminal: Bool
    private var isOpen = false

    init(_ output: Output) {
        descriptor = output.noteDescriptor
        isTerminal = isatty(descriptor) == 1
    }

    mutating func show(_ text: String) {
        // CSI K: erase to the end of the line.
        Output.write(isTerminal ? "\r\(text)\u{1B}[K" : "\(text)\n", to: descriptor)
        isOpen = isTerminal
    }

    /// Leaves the last text where it stands and goes to the next line.
    mutating func end() {
        if isOpen { Output.write("\n", to: descriptor) }
        isOpen = false
    }
}
