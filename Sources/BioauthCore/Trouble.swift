/// What a fault of the reader comes to: for the request that the reader was at work for, for the device, and with that
/// for the word that people hear. This is the one table of it; `RetryReason` is that of scans that are asked for again.
public struct Trouble: Hashable, Sendable {
    /// For a request.
    public enum Fate: Hashable, Sendable {
        /// The fault isn't its business: whoever ended the action knows why.
        case goesOn
        /// It is told why it waits, and the finger is asked for afresh when the reader serves again.
        case waits(Cause)
        /// Trying again would change nothing.
        case ends(Cause)
    }

    /// For the device.
    public enum Remedy: Hashable, Sendable {
        /// It serves on.
        case none
        /// It is closed, and opened again after a delay that grows.
        case reopening
        /// It is left alone until it has cooled down.
        case cooling
        /// It is gone.
        case gone
    }

    public let identification: Fate
    /// An enrolment can't be taken up again where it was: each fault ends it, but for cancelling.
    public let enrollment: Fate
    public let remedy: Remedy
}

extension ReaderFault {
    public var trouble: Trouble {
        switch self {
        case .cancelled: row(.goesOn, .goesOn, .none)
        case .unplugged: row(.ends(.readerUnplugged), .ends(.readerUnplugged), .gone)
        case .hot: row(.waits(.readerHot), .ends(.readerHot), .cooling)
        case .busy: row(.waits(.readerBusy), .ends(.readerBusy), .reopening)
        case .unsupported: row(.ends(.readerFailed), .ends(.readerCannotEnroll), .none)
        case .notOpen, .alreadyOpen: row(.waits(.readerFailed), .ends(.enrollmentFailed), .reopening)
        // An identification stores nothing. A driver that says otherwise would say so again.
        case .storageFull: row(.ends(.readerFailed), .ends(.readerFull), .none)
        case .duplicate: row(.ends(.readerFailed), .ends(.duplicatePrint), .none)
        // Nothing of the gallery can be compared on this reader: that is the prints' trouble, not the reader's.
        case .printInvalid: row(.ends(.notEnrolled), .ends(.enrollmentFailed), .none)
        case .printMissing: row(.ends(.printGone), .ends(.enrollmentFailed), .none)
        case .hung, .failed: row(.waits(.readerFailed), .ends(.enrollmentFailed), .reopening)
        }
    }

    private func row(_ identification: Trouble.Fate, _ enrollment: Trouble.Fate, _ remedy: Trouble.Remedy) -> Trouble {
        Trouble(identification: identification, enrollment: enrollment, remedy: remedy)
    }

    /// Why the reader can't be used until it has been opened again.
    var standing: Cause {
        if case .waits(let cause) = trouble.identification { cause } else { .readerFailed }
    }
}
