import PAMStacks

/// What becomes of one file.
public struct FileChange: Hashable, Sendable {
    /// The service that it is, or the name that others include it by.
    public let name: String
    public let path: String
    /// What is there; nil: nothing.
    public let before: ServiceFile?
    /// What comes there; nil: nothing, the file goes.
    public let after: ServiceFile?
    /// A package's file that the new one begins with, for it counts instead.
    public var basedOn: (path: String, file: ServiceFile)? { base.map { ($0.path, $0.file) } }
    private let base: Base?
    /// Whether the file becomes byte for byte what it was before we changed it.
    public let isRestored: Bool

    private struct Base: Hashable, Sendable {
        let path: String
        let file: ServiceFile
    }

    init(
        _ name: String, _ path: String, before: ServiceFile?, after: ServiceFile?,
        basedOn base: (path: String, file: ServiceFile)? = nil, isRestored: Bool = false
    ) {
        self.name = name
        self.path = path
        self.before = before
        self.after = after
        self.base = base.map { Base(path: $0.path, file: $0.file) }
        self.isRestored = isRestored
    }

    /// As `diff -u` shows it.
    public var diff: String {
        UnifiedDiff.text(base?.file ?? before, after, oldName: base?.path ?? path, newName: path)
    }
}

/// What is to be done, and what can't be.
public struct Proposal: Sendable {
    /// Changes that the system's own tool makes; the tool's arguments.
    public var tool: [String]?
    public var toolChanges: [FileChange] = []
    public var changes: [FileChange] = []
    /// Services that are as they should be.
    public var settled: [String] = []
    public var refusals: [Refusal] = []
    /// Services at which authselect has another program ask for a finger as well.
    public var authselectFingers: Set<String> = []
    /// Files whose record is of no use any more.
    var stale: [String] = []

    public var isEmpty: Bool { tool == nil && changes.isEmpty }
}

/// A service or file that nothing can be done with.
public struct Refusal: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// Our module isn't installed.
        case noModule
        /// The daemon's configuration doesn't list it.
        case notListed
        /// A finger makes no sense there.
        case senseless
        case noFile
        /// A link; where it leads to is somebody else's to change.
        case link(to: String)
        case objection(Plan.Objection)
        /// It has lines of ours in its own file, and would ask for a finger twice.
        case hasOwnLines
        /// The lines are in a file that it includes.
        case included(String)
        /// The lines are in a package's own file.
        case vendorsFile(String)
        /// The tool would not do it, and what it said.
        case toolDeclined(String)
    }

    public let name: String
    public let reason: Reason
}
