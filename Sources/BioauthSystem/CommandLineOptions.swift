import CGLib

/// A program's command line, parsed by GLib (`GOptionContext`), which also writes `--help`.
public struct CommandLineOptions {
    public enum Kind: Sendable {
        case flag
        /// With the placeholder that `--help` shows: `FILE`.
        case text(String)
        /// The same, and may stand many times.
        case texts(String)
    }

    public struct Option: Sendable {
        let name: String
        let short: Character?
        let kind: Kind
        let help: String

        public init(_ name: String, short: Character? = nil, _ kind: Kind, help: String) {
            self.name = name
            self.short = short
            self.kind = kind
            self.help = help
        }
    }

    public struct Usage: Error, Hashable, Sendable {
        public let message: String
    }

    private var flags: Set<String> = []
    private var values: [String: [String]] = [:]
    /// What is left when the options are taken out.
    public private(set) var arguments: [String] = []

    public func has(_ name: String) -> Bool { flags.contains(name) }
    public func text(_ name: String) -> String? { values[name]?.last }
    /// What was given each time, in order.
    public func texts(_ name: String) -> [String] { values[name] ?? [] }

    /// Parses `arguments` (without the program's name). `--help` prints and exits 0, as GLib does.
    ///
    /// - Parameters:
    ///   - usage: what follows the program's name in the first line of `--help`.
    ///   - summary: a sentence below that; `details`: what stands at its end.
    ///   - strictOrder: options end at the first argument that is none (for subcommands).
    public init(
        _ arguments: [String], program: String, options: [Option], usage: String, summary: String, details: String = "",
        domain: String, strictOrder: Bool = false
    ) throws(Usage) {
        let context = g_option_context_new(usage)
        defer { g_option_context_free(context) }
        g_option_context_set_summary(context, summary)
        if !details.isEmpty { g_option_context_set_description(context, details) }
        g_option_context_set_translation_domain(context, domain)
        g_option_context_set_strict_posix(context, strictOrder ? 1 : 0)

        // GLib keeps pointers to names and results while it parses: all of it lives until this returns.
        var strings: [UnsafeMutablePointer<CChar>] = []
        func kept(_ text: String) -> UnsafePointer<CChar> {
            let copy = g_strdup(text)!
            strings.append(copy)
            return UnsafePointer(copy)
        }
        let flagResults = UnsafeMutablePointer<gboolean>.allocate(capacity: options.count + 1)
        let textResults = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: options.count + 1)
        let listResults = UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>.allocate(
            capacity: options.count + 1)
        flagResults.initialize(repeating: 0, count: options.count + 1)
        textResults.initialize(repeating: nil, count: options.count + 1)
        listResults.initialize(repeating: nil, count: options.count + 1)
        defer {
            for string in strings { g_free(string) }
            for at in 0..<options.count {
                g_free(textResults[at])
                g_strfreev(listResults[at])
            }
            flagResults.deallocate()
            textResults.deallocate()
            listResults.deallocate()
        }
        var entries = options.enumerated().map { at, option in
            var entry = GOptionEntry()
            entry.long_name = kept(option.name)
            entry.short_name = option.short.flatMap { $0.asciiValue }.map { CChar($0) } ?? 0
            entry.description = kept(option.help)
            switch option.kind {
            case .flag:
                entry.arg = G_OPTION_ARG_NONE
                entry.arg_data = gpointer(flagResults + at)
            case .text(let placeholder):
                entry.arg = G_OPTION_ARG_STRING
                entry.arg_data = gpointer(textResults + at)
                entry.arg_description = kept(placeholder)
            case .texts(let placeholder):
                entry.arg = G_OPTION_ARG_STRING_ARRAY
                entry.arg_data = gpointer(listResults + at)
                entry.arg_description = kept(placeholder)
            }
            return entry
        }
        entries.append(GOptionEntry())
        g_option_context_add_main_entries(context, entries, domain)

        var vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = .allocate(capacity: arguments.count + 2)
        for (at, argument) in ([program] + arguments).enumerated() { vector![at] = g_strdup(argument) }
        vector![arguments.count + 1] = nil
        let whole = vector
        let all = (0...arguments.count).map { whole![$0] }
        defer {
            for string in all { g_free(string) }
            whole?.deallocate()
        }
        var count = Int32(arguments.count + 1)
        var error: UnsafeMutablePointer<GError>?
        guard g_option_context_parse(context, &count, &vector, &error) != 0 else {
            let message = error.map { String(cString: $0.pointee.message) } ?? ""
            if let error { g_error_free(error) }
            throw Usage(message: message)
        }
        for (at, option) in options.enumerated() {
            switch option.kind {
            case .flag: if flagResults[at] != 0 { flags.insert(option.name) }
            case .text: if let text = textResults[at] { values[option.name] = [String(cString: text)] }
            case .texts:
                var next = listResults[at]
                while let text = next?.pointee {
                    values[option.name, default: []].append(String(cString: text))
                    next = next?.successor()
                }
            }
        }
        self.arguments = (1..<max(1, Int(count))).compactMap { vector![$0].map { String(cString: $0) } }
        if self.arguments.first == "--" { self.arguments.removeFirst() }
    }
}
