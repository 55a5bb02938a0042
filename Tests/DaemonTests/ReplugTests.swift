import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

/// A real driver's reader at the real daemon, pulled out of a bus that umockdev plays and put into another.
@Suite(
    "A reader that comes back",
    .enabled(if: PlayedUSB.isRecorded("elan"), "FINGERPRINT_RECORDINGS names no recording of elan"))
struct ReplugTests {
    let directory = TemporaryDirectory()
    let usb: PlayedUSB
    let me = DaemonUnderTest.account
    private let claimed = USBTestbed.Place(bus: 2, address: 20, .claimed)

    private static func first(on bus: Int) -> USBTestbed.Place { .init(bus: bus, .silent) }

    /// Where it comes back to.
    private static func later(on bus: Int) -> USBTestbed.Place { .init(bus: bus, address: 30, .silent) }

    init() throws {
        let places = [claimed] + (1...3).flatMap { [ReplugTests.first(on: $0), ReplugTests.later(on: $0)] }
        usb = try PlayedUSB("elan", in: directory, places: places)
        try DaemonUnderTest.layEnrolledState(in: directory.file("state"), asOf: "elan")
    }

    private func daemon(
        _ configuration: String? = nil, environment: [String: String] = [:], under wrapper: [String] = []
    ) throws -> DaemonUnderTest {
        try DaemonUnderTest(
            in: directory, configuration: configuration, hasReader: false,
            environment: usb.environment.merging(environment) { $1 }, under: wrapper)
    }

    /// Whether it comes to have a reader that is known to work.
    private func isReady(_ daemon: DaemonUnderTest) throws -> Bool {
        try eventually { try [.ready, .closed].contains(daemon.status().readerState) }
    }

    private func places(_ daemon: DaemonUnderTest) throws -> [String] {
        guard case .readers(let entries) = try daemon.ask(.readers(me)) else { throw DaemonUnderTest.Unexpected() }
        return entries.map(\.busPath)
    }

    private func openDescriptors(_ daemon: DaemonUnderTest) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.program.pid)/fd").count
    }

    /// That the reader, put in elsewhere, is found there alone, and serves.
    private func expectBack(_ daemon: DaemonUnderTest, bus: Int) throws {
        _ = try usb.plug(ReplugTests.later(on: bus))
        #expect(try isReady(daemon))
        #expect(try places(daemon) == ["\(bus)-4.4"])
        #expect(try daemon.request().next().isPrompt(again: false))
    }

    @Test("Pulled out while nobody uses it, it is gone from the list, and found where it comes back")
    func idle() throws {
        let daemon = try daemon()
        let without = try openDescriptors(daemon)
        for bus in 1...3 {
            let place = try usb.plug(ReplugTests.first(on: bus))
            #expect(try isReady(daemon))
            #expect(try places(daemon) == ["\(bus)-4.4"])
            try daemon.waitFor(.readerRemoved) { try usb.unplug(place) }
            #expect(try places(daemon).isEmpty)
            #expect(try daemon.denial() == .noReader)
            #expect(try eventually { try openDescriptors(daemon) <= without + 1 }, "its node is still open")
        }
        try expectBack(daemon, bus: 2)
    }

    @Test("Pulled out while it is tried to be opened: who waits hears it")
    func opening() throws {
        let daemon = try daemon()
        let place = try usb.plug(claimed)
        let login = try daemon.connect()
        try login.send(.authenticate(Authenticate(account: me, service: "login", fingerOnly: false)))
        try login.receive { $0 == .waiting(Wait(cause: .readerBusy)) }
        try usb.unplug(place)
        #expect(try login.receive(within: .seconds(10)) == .verdict(.denied(Denial(.readerUnplugged))))
        try expectBack(daemon, bus: 3)
    }

    @Test("Pulled out while a finger is awaited: who was asked hears it")
    func armed() throws {
        let daemon = try daemon()
        let place = try usb.plug(ReplugTests.first(on: 1))
        #expect(try isReady(daemon))
        let sudo = try daemon.prompted()
        #expect(try eventually { try daemon.status().readerState == .scanning })
        try usb.unplug(place)
        #expect(try sudo.next() == .verdict(.denied(Denial(.readerUnplugged))))
        #expect(try daemon.status().waiting == 0)
        try expectBack(daemon, bus: 3)
    }

    @Test("Pulled out in the middle of an enrolment: that is over, and may begin again where the reader comes back")
    func enrolling() throws {
        let daemon = try daemon()
        let place = try usb.plug(ReplugTests.first(on: 1))
        #expect(try isReady(daemon))
        let enrolling = try daemon.connect()
        try enrolling.send(.enroll(me, .leftIndex, nil))
        #expect(try eventually { try daemon.status().readerState == .scanning })
        try usb.unplug(place)
        try enrolling.receive { $0 == .refused(Denial(.readerUnplugged)) }
        try expectBack(daemon, bus: 3)
        #expect(try daemon.status().prints == 1)
    }

    @Test("One that went without a word is neither listed nor asked once it is back elsewhere")
    func ghost() throws {
        let daemon = try daemon("[reader]\nkeep-warm-seconds=0\n")
        let place = try usb.plug(ReplugTests.first(on: 1))
        #expect(try isReady(daemon))
        try daemon.waitFor(.readerRemoved) {
            try usb.unplug(place, telling: false)
            _ = try usb.plug(ReplugTests.first(on: 3))
        }
        #expect(try places(daemon) == ["3-4.4"])
        #expect(try daemon.request().next().isPrompt(again: false))
    }

    @Test("One that went without a word, and isn't back: who asks for it hears that it is unplugged")
    func lost() throws {
        let daemon = try daemon("[reader]\nkeep-warm-seconds=0\n")
        let place = try usb.plug(ReplugTests.first(on: 1))
        #expect(try isReady(daemon))
        try usb.unplug(place, telling: false)
        let sudo = try daemon.request()
        try sudo.receive { $0 == .verdict(.denied(Denial(.readerUnplugged))) }
        #expect(try places(daemon).isEmpty)
        try expectBack(daemon, bus: 3)
    }

    @Test("Where another program has it, who can't wait hears just that, and who can is asked once it is let go")
    func busy() throws {
        let daemon = try daemon()
        let path = try usb.plug(claimed)
        #expect(try eventually { try daemon.status().readerState == .failing })
        let hasty = try daemon.request()
        #expect(try hasty.receive(within: .seconds(10)) == .waiting(Wait(cause: .readerBusy)))
        #expect(try hasty.receive(within: .seconds(10)) == .verdict(.denied(Denial(.readerBusy))))
        let patient = try daemon.connect()
        try patient.send(.authenticate(Authenticate(account: me, service: "login", fingerOnly: false)))
        #expect(try patient.receive(within: .seconds(10)) == .waiting(Wait(cause: .readerBusy)))
        try usb.release(path, at: claimed)
        #expect(try patient.receive(within: .seconds(20)).isPrompt(again: false))
    }

    @Test(
        "Moved while the machine sleeps, or as it wakes: who waited is asked for afresh at its new place",
        .enabled(if: isRoot, "only root can have a program take this machine for one with sessions"),
        arguments: [true, false])
    func sleep(isAsleep: Bool) throws {
        let logind = try PlayedLogind(in: directory)
        let stage = try SessionStage(in: directory)
        try logind.start()
        let daemon = try daemon(environment: logind.environment, under: stage.wrapper)
        let place = try usb.plug(ReplugTests.first(on: 1))
        #expect(try isReady(daemon))
        #expect(try eventually { try logind.isDelayed() })
        // Control groups, by which others' sessions are found, aren't played along with USB.
        let login = try daemon.request("login", tty: "tty1")
        #expect(try login.next().isPrompt(again: false))
        try logind.prepareForSleep(true)
        #expect(try login.next() == .waiting(Wait(cause: .suspended)))
        #expect(try eventually { try !logind.isDelayed() })
        if isAsleep { try usb.unplug(place) }
        try logind.prepareForSleep(false)
        if !isAsleep { try usb.unplug(place) }
        _ = try usb.plug(ReplugTests.first(on: 3))
        #expect(try login.next().isPrompt(again: true))
        #expect(try places(daemon) == ["3-4.4"])
    }
}

/// What a reader that can't come back in this process leaves: one of libfprint's, which takes words for fingers.
@Suite("A reader that is pulled out") struct PulledOutTests {
    enum Moment: CaseIterable { case opening, armed, touched, enrolling }

    @Test("Whoever it serves hears it, and nobody waits for it any more", arguments: Moment.allCases)
    func pulledOut(moment: Moment) throws {
        let (daemon, device) = try DaemonUnderTest.onWords(configuration: "[reader]\nkeep-warm-seconds = 1\n")
        try daemon.enroll(word: "right", at: device)
        try daemon.givePassword()
        if moment == .opening {
            // It takes commands while it is closed.
            try device.tell("SET_KEEP_ALIVE 1")
            #expect(try eventually { try daemon.status().readerState == .closed })
            try device.tell("SLEEP 600000")
        }
        let connection = try daemon.connect()
        let request = Authenticate(account: DaemonUnderTest.account, service: "sudo")
        try connection.send(
            moment == .enrolling ? .enroll(DaemonUnderTest.account, .leftIndex, nil) : .authenticate(request))
        let state: ReaderState = moment == .opening ? .opening : .scanning
        #expect(try eventually { try daemon.status().readerState == state })
        if moment == .enrolling { try device.tell("SCAN left") }
        if moment == .touched { try device.tell("FINGER 1") }
        try device.tell("UNPLUG")
        let denial = Denial(.readerUnplugged)
        try connection.receive { $0 == (moment == .enrolling ? .refused(denial) : .verdict(.denied(denial))) }
        #expect(try daemon.status().waiting == 0)
        #expect(try daemon.status().readerState == ReaderState.none)
        #expect(try daemon.denial() == .noReader)
        #expect(try daemon.status().mismatches == 0)
    }
}
