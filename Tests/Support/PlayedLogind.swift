import Foundation

/// systemd-logind as python-dbusmock plays it, on a message bus of its own, which stands for the system's.
public final class PlayedLogind {
    private let directory: TemporaryDirectory
    private var bus: PrivateBus
    private var program: RunningProgram?

    private static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let mock = "org.freedesktop.DBus.Mock"

    /// A bus on which nobody plays logind yet.
    public init(in directory: TemporaryDirectory) throws {
        self.directory = directory
        bus = try PrivateBus(in: directory)
    }

    deinit { program?.send(SIGKILL) }

    /// What a process needs to know to find the bus.
    public var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": bus.address] }

    /// Begins to play, with the lid open, and with sessions that are in front at this machine's seat: they are there from
    /// the first answer on, as with the real one.
    ///
    /// - Parameters:
    ///   - tellsOfLid: as logind does from systemd 256 on; those before change the lid's state without a word.
    ///   - preparingForSleep: whether the machine is about to sleep.
    public func start(sessions: [String] = [], tellsOfLid: Bool = true, preparingForSleep: Bool = false) throws {
        let template = try directory.write(
            """
            import dbus
            from dbusmock import MOCK_IFACE
            from dbusmock.templates import logind
            from dbusmock.templates.logind import *


            def load(mock, parameters):
                logind.load(mock, parameters)
                mock.AddProperty(MAIN_IFACE, 'LidClosed', False)
                mock.props[MAIN_IFACE]['PreparingForSleep'] = \(preparingForSleep ? "True" : "False")
                for name in \(sessions):
                    mock.AddSession(name, 'seat0', \(getuid()), 'user', True)
                if \(tellsOfLid ? "False" : "True"):
                    silence = ('<node><interface name="%s"><property name="LidClosed" type="b" access="read">'
                               '<annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>'
                               '</property></interface></node>' % MAIN_IFACE)
                    mock.AddMethod('org.freedesktop.DBus.Introspectable', 'Introspect', '', 's', 'ret = %r' % silence)


            @dbus.service.method(MOCK_IFACE, in_signature='b')
            def MoveLidQuietly(self, shut):
                self.props[MAIN_IFACE]['LidClosed'] = shut


            @dbus.service.method(MOCK_IFACE, in_signature='b')
            def PrepareForSleep(self, before):
                self.props[MAIN_IFACE]['PreparingForSleep'] = before
                self.EmitSignal(MAIN_IFACE, 'PrepareForSleep', 'b', [before])


            @dbus.service.method(MAIN_IFACE, in_signature='ssss', out_signature='h')
            def Inhibit(self, what, who, why, mode):
                if self.props[MAIN_IFACE]['PreparingForSleep']:
                    raise dbus.exceptions.DBusException('too late', name='org.freedesktop.login1.OperationInProgress')
                return logind.Inhibit(self, what, who, why, mode)


            @dbus.service.method(MOCK_IFACE, in_signature='s')
            def Unseat(self, path):
                logind.mockobject.objects[path].props['org.freedesktop.login1.Session']['Seat'] = dbus.Struct(
                    ('', dbus.ObjectPath('/')))
            """, to: "played_logind.py")
        let program = try RunningProgram(
            "/usr/bin/python3", ["-m", "dbusmock", "--system", "--template", template], environment: environment)
        self.program = program
        let plays = eventually {
            (try? call(PlayedLogind.path, "\(PlayedLogind.name).Manager.ListSessions")) != nil
        }
        guard plays else { throw BusConnection.Failed(description: "dbusmock: \(program.text)") }
    }

    public func stop() throws {
        program?.send(SIGTERM)
        _ = try program?.wait()
        program = nil
    }

    /// Ends the bus, and has another in its place, on which nobody plays logind yet.
    public func restartBus() throws {
        try bus.stop()
        try stop()
        bus = try PrivateBus(in: directory)
    }

    /// One more session in front at this machine's seat.
    public func open(_ id: String) throws {
        try play("AddSession", "('\(id)', 'seat0', uint32 \(getuid()), 'user', true)")
        try emit("SessionNew", id)
    }

    public func close(_ id: String) throws {
        try play("RemoveObject", "('\(path(id))',)")
        try emit("SessionRemoved", id)
    }

    /// Changes properties of a session: `'Remote': <true>`.
    public func change(_ id: String, _ properties: String) throws {
        try call(path(id), "\(PlayedLogind.mock).UpdateProperties", "('\(PlayedLogind.name).Session', {\(properties)})")
    }

    /// Takes a session's seat away. That is seen with its next change: real ones never lose theirs.
    public func unseat(_ id: String) throws { try play("Unseat", "('\(path(id))',)") }

    public func lid(isShut: Bool) throws {
        try play("UpdateProperties", "('\(PlayedLogind.name).Manager', {'LidClosed': <\(isShut)>})")
    }

    /// Moves it without a word.
    public func lidQuietly(isShut: Bool) throws { try play("MoveLidQuietly", "(\(isShut),)") }

    /// The machine is about to sleep, or awake again.
    public func prepareForSleep(_ isBefore: Bool) throws { try play("PrepareForSleep", "(\(isBefore),)") }

    /// Who delays the machine's sleep, as GLib prints it: each with what, who, why and how.
    public func inhibitors() throws -> String {
        try call(PlayedLogind.path, "\(PlayedLogind.name).Manager.ListInhibitors")
    }

    /// Whether the daemon delays it, and it alone.
    public func isDelayed() throws -> Bool {
        let told = try inhibitors()
        return told.contains("'sleep', 'bioauthd'") && told.contains("'delay'")
            && told.components(separatedBy: "'delay'").count == 2
    }

    private func path(_ id: String) -> String { "\(PlayedLogind.path)/session/\(id)" }

    private func emit(_ signal: String, _ id: String) throws {
        try play(
            "EmitSignal", "('\(PlayedLogind.name).Manager', '\(signal)', 'so', [<'\(id)'>, <objectpath '\(path(id))'>])"
        )
    }

    private func play(_ method: String, _ arguments: String) throws {
        try call(PlayedLogind.path, "\(PlayedLogind.mock).\(method)", arguments)
    }

    @discardableResult
    private func call(_ path: String, _ method: String, _ arguments: String = "()") throws -> String {
        try bus.connection.call(PlayedLogind.name, path, method, arguments)
    }
}
