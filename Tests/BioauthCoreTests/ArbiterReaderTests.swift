import BioauthCore
import Testing

/// What requests hear of the reader.
@Suite struct ArbiterReaderTests {
    let sudo = Ask.sudo(1, of: 1001)
    let urgent = Ask.sudo(1, of: 1001, fingerOnly: true)

    @Test func `nobody is prompted before the reader has proven to work, but it is wanted`() {
        var desk = Arbitration(reader: .unproven)
        #expect(desk.asked(sudo) == [.waiting(sudo, .readerOpening), .want(sudo.job)])
        #expect(desk.reader(.good) == [.prompt(sudo)])
    }

    @Test func `a request without a reader is denied`() {
        var desk = Arbitration(reader: .absent)
        #expect(desk.asked(sudo) == [.denied(sudo, .readerUnplugged)])
        #expect(desk.arbiter.nextDeadline == nil)
    }

    @Test func `when the reader is pulled out, every request learns it at once`() {
        let login = Ask.login(2, of: 1002)
        let app = Ask.app(3, of: 1003)
        var desk = Arbitration(sudo, login, app)
        #expect(
            desk.reader(.absent) == [
                .denied(sudo, .readerUnplugged), .denied(login, .readerUnplugged), .denied(app, .readerUnplugged),
                .want(nil),
            ])
    }

    @Test(arguments: [Cause.readerFailed, .readerHot])
    func `when the reader fails, the one prompted hears it, and is prompted again when it works`(cause: Cause) {
        let next = Ask.sudo(2, of: 1002)
        var desk = Arbitration(sudo, next)
        #expect(desk.reader(failing: cause) == [.waiting(sudo, cause)])
        #expect(desk.reader(.good) == [.prompt(sudo, again: true)])
    }

    @Test func `a new reason for the failure is told, the same is not`() {
        var desk = Arbitration(sudo)
        let since = desk.now
        desk.reader(.failing(.readerFailed, since: since))
        #expect(desk.reader(.failing(.readerFailed, since: since)) == [])
        #expect(desk.reader(.failing(.readerHot, since: since)) == [.waiting(sudo, .readerHot)])
    }

    @Test func `time runs on while the reader fails`() {
        var desk = Arbitration(sudo)
        desk.wait(.seconds(10))
        _ = desk.reader(failing: .readerFailed)
        #expect(desk.wait(.milliseconds(19_999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(sudo, .timedOut), .want(nil)])
    }

    // MARK: Nothing but the finger

    @Test func `with nothing but the finger, two seconds of a failing reader are enough`() {
        var desk = Arbitration(urgent)
        desk.wait(.seconds(10))
        _ = desk.reader(failing: .readerHot)
        #expect(desk.wait(.milliseconds(1999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(urgent, .readerHot), .want(nil)])
    }

    @Test func `they count from the request when the reader failed before`() {
        var desk = Arbitration()
        _ = desk.reader(failing: .readerFailed)
        desk.wait(.seconds(100))
        #expect(desk.asked(urgent) == [.waiting(urgent, .readerFailed), .want(urgent.job)])
        #expect(desk.wait(.milliseconds(1999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(urgent, .readerFailed), .want(nil)])
    }

    @Test func `they count also for one that waits in line`() {
        let patient = Ask.sudo(2, of: 1002)
        var desk = Arbitration(patient, urgent)
        _ = desk.reader(failing: .readerFailed)
        #expect(desk.wait(.milliseconds(1999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(urgent, .readerFailed)])
    }

    @Test func `they begin anew when the reader worked in between`() {
        var desk = Arbitration(urgent)
        _ = desk.reader(failing: .readerFailed)
        desk.wait(.seconds(1))
        desk.reader(.good)
        desk.wait(.seconds(1))
        _ = desk.reader(failing: .readerFailed)
        #expect(desk.wait(.milliseconds(1999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(urgent, .readerFailed), .want(nil)])
    }

    @Test func `an opening that takes its time is no failure`() {
        var desk = Arbitration(reader: .unproven)
        desk.asked(urgent)
        #expect(desk.wait(.seconds(10)) == [])
        #expect(desk.reader(.good) == [.prompt(urgent)])
    }

    @Test func `after a suspension they count from its turn`() {
        let lock = Ask.login(2, of: 1001)
        var desk = Arbitration(urgent, lock)
        _ = desk.reader(failing: .readerFailed)
        #expect(desk.wait(.seconds(10)) == [])
        desk.gone(lock)
        #expect(desk.wait(.seconds(2)) == [.waiting(urgent, .readerFailed), .want(urgent.job)])
        #expect(desk.wait(.milliseconds(1999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(urgent, .readerFailed), .want(nil)])
    }
}
