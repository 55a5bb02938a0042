/// A reader that may serve a request, and what the choice among several goes by.
public struct ReaderCandidate: Hashable, Sendable {
    public let id: ReaderID
    public let description: ReaderDescription
    /// Whether its last opening failed.
    public let isFailing: Bool
    /// Whether the account has a print of its own there; for an enrolment: whether it may have one.
    public let isEnrolled: Bool

    public init(id: ReaderID, description: ReaderDescription, isFailing: Bool, isEnrolled: Bool) {
        self.id = id
        self.description = description
        self.isFailing = isFailing
        self.isEnrolled = isEnrolled
    }
}

/// Which of several readers serves a request, and why that one.
public struct ReaderChoice: Hashable, Sendable {
    /// What a reader is chosen by, the weightiest first.
    public enum Criterion: UInt8, CaseIterable, Sendable {
        /// It can compare a touch with a print.
        case comparing = 1
        /// The account has a print there.
        case prints = 2
        /// It isn't below a shut lid.
        case lid = 3
        /// It is known to work, or not known to fail.
        case working = 4
        /// The list of the configuration.
        case preference = 5
        /// Who came first.
        case order = 6
    }

    /// The readers, the best first.
    private let ranked: [Ranked]

    private struct Ranked: Hashable {
        let candidate: ReaderCandidate
        /// By each criterion, in their order: less is better.
        let marks: [UInt64]
    }

    /// - Parameters:
    ///   - preferred: drivers, places on the bus or names, the best first.
    ///   - staying: the reader at which the person has been asked already. It is kept for as long as it can serve and works.
    public init(
        among candidates: [ReaderCandidate], isLidShut: Bool, preferred: [String], staying: ReaderID? = nil
    ) {
        ranked = candidates.map { candidate in
            let description = candidate.description
            let preference = preferred.firstIndex { description.isCalled($0) } ?? preferred.count
            let marks = Criterion.allCases.map { criterion -> UInt64 in
                switch criterion {
                case .comparing: description.canCompare ? 0 : 1
                case .prints: candidate.isEnrolled ? 0 : 1
                case .lid: isLidShut && description.isBuiltIn ? 1 : 0
                case .working: candidate.isFailing ? 1 : 0
                case .preference: candidate.id == staying ? 0 : UInt64(preference) + 1
                case .order: candidate.id.number
                }
            }
            return Ranked(candidate: candidate, marks: marks)
        }.sorted { $0.marks.lexicographicallyPrecedes($1.marks) }
    }

    /// The one that serves; or, where none can, the one that comes closest to it.
    public var best: ReaderCandidate? { ranked.first?.candidate }

    /// Whether the best can serve.
    public var canServe: Bool { ranked.first.map { ReaderChoice.obstacle($0) == nil } ?? false }

    /// What decides about a reader: by what the one that serves beats the next, and by what another falls behind it.
    /// Where none can serve: what is in the way. Nil: it is the only one, or isn't among them.
    public func criterion(of reader: ReaderID) -> Criterion? {
        guard let at = ranked.firstIndex(where: { $0.candidate.id == reader }) else { return nil }
        if let obstacle = ReaderChoice.obstacle(ranked[at]) { return obstacle }
        guard ranked.count > 1 else { return nil }
        let rival = ranked[at == 0 ? 1 : 0]
        return Criterion.allCases.enumerated().first { ranked[at].marks[$0.offset] != rival.marks[$0.offset] }?.element
    }

    /// Why it can't serve, whatever the others are like.
    private static func obstacle(_ ranked: Ranked) -> Criterion? {
        let needed: [Criterion] = [.comparing, .prints, .lid]
        return needed.enumerated().first { ranked.marks[$0.offset] != 0 }?.element
    }
}

extension ReaderDescription {
    /// Whether somebody may mean this reader by that: its driver, its place on the bus, or its name.
    public func isCalled(_ text: String) -> Bool {
        !text.isEmpty && [driver, busPath, name].contains(text)
    }
}
