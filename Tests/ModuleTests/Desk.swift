import Foundation
import Glibc
import TestSupport
import Testing

/// A host at a terminal, and a daemon.
final class Desk {
    static let question = "Password, or touch the fingerprint reader with your right index finger: "

    let stage: Stage
    let peer: Peer
    private let password: String

    /// - Parameters:
    ///   - script: what the daemon does on each connection.
    init(_ build: Build = .address, script: @escaping @Sendable (Connection) -> Void) throws {
        stage = try Stage(build, password: "tty")
        peer = try Peer(at: stage.socket, script: script)
        password = stage.directory + "/password"
        try "#!/bin/sh\nexec cat > \(password)\n".write(
            toFile: stage.directory + "/keep", atomically: false, encoding: .utf8)
    }

    deinit { peer.stop() }

    /// The host's command, behind it a module that keeps the password that ours left.
    func command(_ arguments: [String] = [], service: String = "test", options: String = "") throws -> [String] {
        try stage.write(
            stack: [
                stage.module(
                    options, control: "[success=done conv_err=die abort=die auth_err=die default=ignore]"),
                "auth required pam_exec.so quiet expose_authtok /bin/sh \(stage.directory)/keep",
            ], service: service)
        return [
            "\(try stage.build.directory())/pam-host", "--confdir", stage.directory, "--service", service, "--user",
            "root",
        ] + arguments
    }

    func start(
        _ arguments: [String] = [], service: String = "test", options: String = "",
        environment: [String: String] = [:]
    ) throws -> InteractiveProgram {
        try InteractiveProgram(
            command(arguments, service: service, options: options), onTerminal: true,
            environment: ["ASAN_OPTIONS": "detect_leaks=1:exitcode=99"].merging(environment) { $1 })
    }

    /// What the module behind ours got.
    var handedOn: String? { try? String(contentsOfFile: password, encoding: .utf8) }

    static let prompting: @Sendable (Connection) -> Void = {
        $0.send(Datagram.prompt(finger: 7))
        $0.untilClosed()
    }

    /// That the host got this code, and its terminal, descriptors and signals back.
    func expectEnd(
        _ program: InteractiveProgram, _ result: String, location: SourceLocation = #_sourceLocation
    ) throws {
        try program.wait()
        #expect(program.output.contains("\"name\":\"\(result)\""), "\(program.output)", sourceLocation: location)
        #expect(
            program.output.contains(
                "\"descriptors\":0,\"mask\":true,\"dispositions\":true,\"terminal\":true"), "\(program.output)",
            sourceLocation: location)
    }
}

extension InteractiveProgram {
    /// Sets the terminal as `terminalSettings` found it.
    func setTerminal(_ settings: [UInt8]) -> Bool {
        settings.withUnsafeBytes { tcsetattr(terminal, TCSANOW, $0.bindMemory(to: termios.self).baseAddress!) == 0 }
    }
}
