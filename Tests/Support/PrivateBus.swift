import Foundation

/// A D-Bus of one's own that stands for the system bus.
public final class PrivateBus {
    public let address: String
    public let connection: BusConnection
    private let daemon: RunningProgram

    /// - Parameters:
    ///   - program: the path of `dbus-daemon`.
    ///   - services: a directory of D-Bus service files, for those that it is to start when somebody asks for them.
    ///   - environment: what the services are started with.
    public init(
        _ program: String = "/usr/bin/dbus-daemon", in directory: TemporaryDirectory, services: String? = nil,
        environment: [String: String] = [:]
    ) throws {
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
              \(services.map { "<servicedir>\($0)</servicedir>" } ?? "")
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
        } catch {
            daemon.send(SIGTERM)
            throw error
        }
    }

    /// Connects as soon as the bus listens.
    private static func connect(to address: String, of daemon: RunningProgram) throws -> BusConnection {
        var connection: BusConnection?
        let isThere = eventually {
            connection = BusConnection(to: address)
            return connection != nil
        }
        guard isThere else { throw BusConnection.Failed(description: "dbus-daemon: \(daemon.text)") }
        return connection!
    }

    deinit { daemon.send(SIGTERM) }

    /// Ends it, and everybody's connection with it.
    public func stop() throws {
        daemon.send(SIGTERM)
        _ = try daemon.wait()
    }

    /// Asks a service something, and starts it for that.
    public func ask(_ service: String, _ object: String, _ method: String) throws {
        try connection.call(service, object, method)
    }

    /// Does something as a client that comes for just that.
    public func visit(_ body: (BusConnection) throws -> Void) throws {
        guard let visitor = BusConnection(to: address) else {
            throw BusConnection.Failed(description: "the private bus is gone")
        }
        try body(visitor)
    }

    public func hasOwner(_ name: String) throws -> Bool {
        try connection.callBus("NameHasOwner", "('\(name)',)").contains("true")
    }

    /// The process that owns a name.
    public func process(of name: String) throws -> pid_t {
        let answer = try connection.callBus("GetConnectionUnixProcessID", "('\(name)',)")
        guard let pid = pid_t(answer.filter(\.isNumber)) else {
            throw BusConnection.Failed(description: "no process: \(answer)")
        }
        return pid
    }
}
