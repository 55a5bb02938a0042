// A vault on the command line, in place of a window: it writes what a window would show, and reads what would be clicked.
//
//   vault unlock | passcode | patiently | lock-while-asking     what the window does
//   vault lock-switch on|off|show                               the switch "lock this app"
//   vault ask                                                   the README's program: on the terminal, without a window

import Foundation
import LocalAuthentication

let arguments = Array(CommandLine.arguments.dropFirst())

/// Writes a line, at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let clicks = Clicks()
// On the terminal the keys are not for us.
if arguments.first != "ask" { clicks.listen() }

func show(_ prompt: LAPrompt?) {
    clicks.prompt = prompt
    guard let prompt else { return say("closed") }
    let buttons = [prompt.cancelTitle, prompt.fallbackTitle].compactMap { $0 }.joined(separator: " | ")
    say("\(prompt.kind): \(prompt.message) [\(buttons)]")
}

let model = VaultModel()
model.configure = { context in context.promptHandler = { prompt in show(prompt) } }
let watching = Task { for await state in model.states { say("state: \(state)") } }
let observer = NotificationCenter.default.addObserver(forName: VaultModel.didUnlock, object: nil, queue: nil) { note in
    say("posted: \(note.userInfo?["policy"] ?? "")")
}

switch arguments.first {
case "unlock":
    await model.unlock()
case "passcode":
    await model.unlock()
    if case .passcodeOffered = model.state { await model.unlockWithPasscode() }
case "patiently":
    await model.unlockPatiently()
case "lock-while-asking":
    model.configure = { context in
        context.promptHandler = { prompt in
            show(prompt)
            if prompt != nil { Task { @MainActor in model.lock() } }
        }
    }
    await model.unlock()
case "lock-switch":
    await turnLock(arguments.dropFirst().first ?? "show")
case "ask":
    await ask()
default:
    say("vault unlock | passcode | patiently | lock-while-asking | lock-switch on|off|show | ask")
    exit(2)
}
// What was published is printed before the end.
model.close()
await watching.value
NotificationCenter.default.removeObserver(observer)
say("biometry: \(model.biometryName)")

/// The switch in the app's settings.
func turnLock(_ to: String) async {
    let lock = LAAppLock()
    do {
        if to != "show" {
            let context = LAContext()
            context.promptHandler = { show($0) }
            try await lock.setEnabled(to == "on", using: context, localizedReason: "Lock the vault: \(to)")
        }
        say("lock: \(try lock.isEnabled ? "on" : "off")")
    } catch {
        say("lock: \(error.localizedDescription)")
    }
}
