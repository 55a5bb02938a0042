import Foundation
import TestSupport

/// A D-Bus of the benchmark's own that stands for the system bus: fprintd is started on it when somebody asks for it.
///
/// polkit is played by this process, which allows everything at once: that is quicker than polkitd, to the peer's
/// advantage. Starting fprintd goes without systemd for the same reason.
final class PrivateBus {
    let address: String
    private let daemon: RunningProgram
    private let connection: BusConnection

    /// - Parameters:
    ///   - services: a directory of D-Bus service files.
    ///   - environment: what the services are started with.
    init(_ program: String, in directory: TemporaryDirectory, services: String, environment: [String: String]) throws {
        let address = "unix:path=\(directory.file("bus"))"
        self.address = address
        let configuration = try directory.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>system</type>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              <servicedir>\(services)</servicedir>
              <policy context="default">
                <allow user="*"/>
                <allow own="*"/>
                <allow send_destination="*"/>
                <allow receive_sender="*"/>
              </policy>
            </busconfig>
            """, to: "bus.conf")
        let daemon = try RunningProgram(
            program, ["--config-file=\(configuration)", "--nofork", "--nopidfile", "--nosyslog"],
            environment: environment.merging(["DBUS_SYSTEM_BUS_ADDRESS": address]) { $1 })
        self.daemon = daemon
        do {
            connection = try PrivateBus.connect(to: address, of: daemon)
            try connection.playPolkit()
        } catch {
            daemon.send(SIGTERM)
            throw error
        }
    }

    /// Connects as soon as the bus listens.
    private static func connect(to address: String, of daemon: RunningProgram) throws -> BusConnection {
        var connection: BusConnection?
        try waitUntil("the private bus to listen") {
            guard kill(daemon.pid, 0) == 0 else { throw Trouble("dbus-daemon: \(daemon.text)") }
            connection = BusConnection(to: address)
            return connection != nil
        }
        return connection!
    }

    deinit { daemon.send(SIGTERM) }

    /// Asks a service something, and starts it for that.
    func ask(_ service: String, _ object: String, _ method: String) throws {
        try connection.call(service, object, method)
    }

    /// Does something as a client that comes for just that.
    func visit(_ body: (BusConnection) throws -> Void) throws {
        guard let visitor = BusConnection(to: address) else { throw Trouble("the private bus is gone") }
        try body(visitor)
    }

    func hasOwner(_ name: String) throws -> Bool {
        try connection.callBus("NameHasOwner", "('\(name)',)").contains("true")
    }

    /// The process that owns a name.
    func process(of name: String) throws -> pid_t {
        let answer = try connection.callBus("GetConnectionUnixProcessID", "('\(name)',)")
        guard let pid = pid_t(answer.filter(\.isNumber)) else { throw Trouble("no process: \(answer)") }
        return pid
    }
}
