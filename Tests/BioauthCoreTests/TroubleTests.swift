import BioauthCore
import Testing

/// What each fault comes to, and that the reader's life does as the table says.
@Suite struct TroubleTests {
    typealias Row = (ReaderFault, identification: Trouble.Fate, enrollment: Trouble.Fate, remedy: Trouble.Remedy)

    static let table: [Row] = [
        (.cancelled, .goesOn, .goesOn, .none),
        (.unplugged, .ends(.readerUnplugged), .ends(.readerUnplugged), .gone),
        (.hot, .waits(.readerHot), .ends(.readerHot), .cooling),
        (.busy, .waits(.readerBusy), .ends(.readerBusy), .reopening),
        (.unsupported, .ends(.readerFailed), .ends(.readerCannotEnroll), .none),
        (.notOpen, .waits(.readerFailed), .ends(.enrollmentFailed), .reopening),
        (.alreadyOpen, .waits(.readerFailed), .ends(.enrollmentFailed), .reopening),
        (.storageFull, .ends(.readerFailed), .ends(.readerFull), .none),
        (.duplicate, .ends(.readerFailed), .ends(.duplicatePrint), .none),
        (.printInvalid, .ends(.notEnrolled), .ends(.enrollmentFailed), .none),
        (.printMissing, .ends(.printGone), .ends(.enrollmentFailed), .none),
        (.hung, .waits(.readerFailed), .ends(.enrollmentFailed), .reopening),
        (.failed("protocol"), .waits(.readerFailed), .ends(.enrollmentFailed), .reopening),
    ]

    @Test func `each fault comes to what the table says`() {
        for row in TroubleTests.table {
            let trouble = row.0.trouble
            #expect(trouble.identification == row.identification, "\(row.0)")
            #expect(trouble.enrollment == row.enrollment, "\(row.0)")
            #expect(trouble.remedy == row.remedy, "\(row.0)")
        }
    }

    @Test
    func `a request that waits on is served by a reader that is opened again, one that ends by one that serves on`() {
        // Else it would wait for ever, or be tried without end.
        for (fault, identification, _, remedy) in TroubleTests.table {
            switch identification {
            case .waits: #expect(remedy == .reopening || remedy == .cooling, "\(fault)")
            case .ends: #expect(remedy == .none || remedy == .gone, "\(fault)")
            case .goesOn: #expect(fault == .cancelled)
            }
        }
    }

    let job = Ask.sudo(1, of: 1001).job

    @Test func `an action that ends with it leaves the device as the table says`() {
        for (fault, identification, _, remedy) in TroubleTests.table {
            var reader = LivingReader()
            reader.wants(job)
            reader.brush()
            reader.wants(nil)
            let actions = reader.completed(fault)
            switch remedy {
            case .none:
                #expect(actions == [], "\(fault)")
                #expect(reader.wants(job) == [.start(job)])
            case .reopening, .cooling:
                guard case .waits(let cause) = identification else { continue }
                let failing = ReaderLife.Action.standing(.failing(cause, since: reader.now))
                #expect(actions == (fault == .notOpen ? [failing] : [failing, .close]), "\(fault)")
                reader.closed()
                #expect(reader.wait(.milliseconds(100)) == [.open])
            case .gone:
                #expect(actions == [.standing(.absent)])
            }
        }
    }

    @Test func `an opening that ends with it is tried again, whatever it is, but for a reader that has gone`() {
        for (fault, _, _, remedy) in TroubleTests.table {
            var reader = LivingReader(unplugged: .seconds(30))
            reader.added()
            let actions = reader.opened(fault)
            if remedy == .gone {
                #expect(actions == [.standing(.absent)])
                continue
            }
            if fault == .alreadyOpen {
                #expect(actions.last == .close)
                reader.closed()
            }
            #expect(reader.wait(.milliseconds(100)) == [.open], "\(fault)")
            #expect(reader.opened() == [.standing(.good)])
        }
    }

    @Test func `a reader that another program has is told as busy until it is free`() {
        var reader = LivingReader(unplugged: .seconds(30))
        reader.added()
        #expect(reader.opened(.busy) == [.standing(.failing(.readerBusy, since: reader.now))])
        reader.wait(.milliseconds(100))
        #expect(reader.opened() == [.standing(.good)])
    }
}
