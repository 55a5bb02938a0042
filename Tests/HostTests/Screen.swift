import Foundation
import TestSupport

/// A screen and a keyboard of the owner's on a machine: an X server, or a Wayland compositor, that shows nothing.
protocol Screen {
    /// What a program needs to know to be shown on it.
    var environment: [String: String] { get }

    func type(_ text: String) throws
    func press(_ key: String) throws
    /// Takes back what was typed.
    func takeBack() throws
}

/// Xvfb.
final class XScreen: Screen {
    let environment: [String: String]
    private let machine: Machine
    private let server: InteractiveProgram

    init(on machine: Machine) throws {
        self.machine = machine
        server = try machine.start(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"], as: "root",
            onTerminal: false)
        try server.expect("\n")
        environment = ["DISPLAY": ":" + server.output.trimmingCharacters(in: .newlines)]
    }

    deinit {
        server.send(SIGTERM)
        _ = try? server.wait()
    }

    func type(_ text: String) throws { try run(["xdotool", "type", "--delay", "1", "--", text]) }
    func press(_ key: String) throws { try run(["xdotool", "key", key]) }
    func takeBack() throws { try press("ctrl+u") }

    private func run(_ command: [String]) throws { _ = try machine.run(command, environment: environment) }
}

/// sway, without a graphics card.
final class WaylandScreen: Screen {
    let environment: [String: String]
    private let machine: Machine
    private let compositor: InteractiveProgram
    /// Keeps the seat's keyboard: programs miss what is typed on one that has just been plugged in.
    private let keyboard: InteractiveProgram

    init(on machine: Machine) throws {
        self.machine = machine
        let configuration = try machine.directory.write(
            "exec echo display=$WAYLAND_DISPLAY. socket=$SWAYSOCK.\nbar mode invisible\n"
                + "output * mode --custom \(WaylandScreen.width)x\(WaylandScreen.height)\n", to: "sway.conf")
        let runtime = ["XDG_RUNTIME_DIR": machine.home(of: Machine.owner.name)]
        compositor = try machine.start(
            ["sway", "--config", configuration], onTerminal: false,
            environment: runtime.merging([
                "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman",
                "LIBSEAT_BACKEND": "noop",
            ]) { $1 })
        try compositor.expect(" socket=")
        try compositor.expect(".\n")
        let words = compositor.output.components(separatedBy: "display=")[1].components(separatedBy: " socket=")
        environment = runtime.merging(
            [
                "WAYLAND_DISPLAY": String(words[0].dropLast()),
                "SWAYSOCK": String(words[1].prefix { $0 != "\n" }.dropLast()),
            ]
        ) { $1 }
        keyboard = try machine.start(["wtype", "-s", "600000"], onTerminal: false, environment: environment)
        guard
            try eventually({
                try machine.run(["swaymsg", "-r", "-t", "get_inputs"], environment: environment).contains("keyboard")
            })
        else { throw InteractiveProgram.Missing(text: "a keyboard", output: "", errors: compositor.errors) }
    }

    deinit {
        keyboard.send(SIGKILL)
        compositor.send(SIGTERM)
        _ = try? compositor.wait()
    }

    func type(_ text: String) throws { try run(["wtype", text]) }
    func press(_ key: String) throws { try run(["wtype", "-k", key]) }
    func takeBack() throws { try run(["wtype", "-M", "ctrl", "-k", "u", "-m", "ctrl"]) }

    static let (width, height) = (640, 480)

    /// Waits until a point of the screen has a colour, six hexadecimal digits.
    func waitForColour(_ colour: String, at point: (x: Int, y: Int)) throws {
        let picture = "grim -g '\(point.x),\(point.y) 1x1' -t ppm - | tail -c 3 | od -An -tx1"
        let isShown = try eventually {
            try machine.run(["sh", "-c", picture], environment: environment).filter(\.isHexDigit) == colour
        }
        guard isShown else { throw InteractiveProgram.Missing(text: colour, output: "", errors: compositor.errors) }
    }

    private func run(_ command: [String]) throws { _ = try machine.run(command, environment: environment) }
}
