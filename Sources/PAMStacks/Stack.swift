/// The files of /etc/pam.d by their names, and below each name the one that counts.
public typealias ServiceFiles = [String: ServiceFile]

/// What libpam runs for a service's authentication: its file's `auth` lines in order, those of included files in their
/// places.
public struct Stack: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public enum What: Hashable, Sendable {
            case module(Module)
            /// A line that always fails.
            case broken
            /// The head of a substack; runs nothing.
            case substack
        }

        public let what: What
        let control: Control
        /// How deep in substacks it stands.
        let level: Int
        /// The file by the name that it was included by, and which of its statements it is.
        public let file: String
        public let statement: Int
        /// Which statement of the service's own file it came by.
        let trunk: Int

        public var kind: Module.Kind {
            if case .module(let module) = what { module.kind } else { .other }
        }

        public var isOurs: Bool { kind == .finger || kind == .report }
    }

    public let entries: [Entry]
    /// The files that it is made of, by the names that they were included by.
    public let files: Set<String>
    /// Whether libpam gives up on it, and so refuses everybody.
    public let isBroken: Bool
    /// Whether the service has no lines of its own, so that those of `other` count.
    public let isOther: Bool

    /// How deep files may include files.
    static let deepest = 16
    static let longest = 512

    /// - Parameter source: every file there is, by the name that includes call it by.
    public init(of service: String, in source: ServiceFiles) {
        var builder = Builder(source: source)
        if source[service] != nil { builder.add(service, level: 0, depth: 0, otherwise: nil) }
        isOther = builder.entries.isEmpty && !builder.isBroken
        if isOther && source["other"] != nil { builder.add("other", level: 0, depth: 0, otherwise: nil) }
        entries = builder.entries
        files = builder.files
        isBroken = builder.isBroken
    }

    private struct Builder {
        let source: ServiceFiles
        var entries: [Entry] = []
        var files: Set<String> = []
        var isBroken = false
        private var trunk = 0

        init(source: ServiceFiles) {
            self.source = source
        }

        /// - Parameter otherwise: what stands in its place when there is no such file; nil: then all is broken.
        mutating func add(_ name: String, level: Int, depth: Int, otherwise: Entry?) {
            guard depth < Stack.deepest, let content = source[name] else {
                if let otherwise { entries.append(otherwise) } else { isBroken = true }
                return
            }
            files.insert(name)
            isBroken = isBroken || content.isUnreadable
            for (number, statement) in content.statements.enumerated() where statement.isForAuthentication {
                guard entries.count < Stack.longest else {
                    isBroken = true
                    return
                }
                if depth == 0 { trunk = number }
                add(statement, number: number, of: name, level: level, depth: depth)
            }
        }

        private mutating func add(_ statement: Statement, number: Int, of name: String, level: Int, depth: Int) {
            func entry(_ what: Entry.What, _ control: Control = .bad, level: Int) -> Entry {
                Entry(what: what, control: control, level: level, file: name, statement: number, trunk: trunk)
            }
            switch statement.content {
            case .module(let control, let module): entries.append(entry(.module(module), control, level: level))
            case .broken(let control): entries.append(entry(.broken, control, level: level))
            case .include(let included, let isSubstack):
                if isSubstack { entries.append(entry(.substack, level: level)) }
                let inner = isSubstack ? level + 1 : level
                // What a failing `@include` comes to depends on where it stands, and never on what was meant.
                let failing = statement.facility == nil ? nil : entry(.broken, level: inner)
                add(included, level: inner, depth: depth + 1, otherwise: failing)
            }
        }
    }
}
