/// Something that happened while a person is asked; not of Apple's.
public enum LAEvaluationEvent: Sendable {
    /// The person is to be asked for what the prompt says.
    case prompt(LAPrompt)
    /// The scan did not count; the person may try again.
    case retry(LARetryReason, LAPrompt)
    /// The finger did not match; so many tries are left.
    case mismatch(triesLeft: Int, LAPrompt)
    /// Nothing to do but wait, and why.
    case waiting(LAError.Cause, LAPrompt)
    /// The last: nil lets the person in.
    case outcome(LAError?)

    /// What to show the person; nil: nothing any more.
    public var prompt: LAPrompt? {
        switch self {
        case .prompt(let prompt), .retry(_, let prompt), .mismatch(_, let prompt), .waiting(_, let prompt): prompt
        case .outcome: nil
        }
    }
}

/// Why a scan did not count.
public enum LARetryReason: Sendable {
    case general
    /// The finger was there too shortly.
    case tooShort
    /// It wasn't on the middle.
    case centerFinger
    /// It has to be lifted first.
    case removeFinger
    /// It was moved too fast.
    case tooFast
}

/// One evaluation's events, in their order; the outcome is the last. For one `for await`. Letting it go before its end
/// withdraws the question.
public struct LAEvaluationEvents: AsyncSequence, Sendable {
    public typealias Element = LAEvaluationEvent
    public typealias Failure = Never

    private let stream: AsyncStream<LAEvaluationEvent>
    /// Letting the context go would end what runs.
    private let context: LAContext

    init(_ stream: AsyncStream<LAEvaluationEvent>, of context: LAContext) {
        self.stream = stream
        self.context = context
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<LAEvaluationEvent>.AsyncIterator
        fileprivate let context: LAContext

        public mutating func next() async -> LAEvaluationEvent? { await base.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> LAEvaluationEvent? {
            await base.next(isolation: actor)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: stream.makeAsyncIterator(), context: context)
    }
}
