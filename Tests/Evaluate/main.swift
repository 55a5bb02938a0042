// A program without a window that asks for a finger, for the tests of what only a process of its own can show.
//
//   bioauth-evaluate SOCKET                      evaluates, and prints how it went
//   bioauth-evaluate SOCKET --owner              the password will do too; ends when a line was read from standard input,
//                                                which it prints; with --twice, the same context twice
//   bioauth-evaluate SOCKET --rounds NUMBER      makes, evaluates and lets go of so many contexts, and prints what is left
//   bioauth-evaluate SOCKET --cancelled          asks once more from a cancelled task, while a question is asked already
//   bioauth-evaluate --words DIRECTORY [LOCALE]  prints the words of every error, from the translations in a directory;
//                                                having chosen that locale itself

import BioauthSystem
import Foundation
import LocalAuthentication

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "--words" {
    Words.find(in: arguments.dropFirst().first ?? "")
    if let locale = arguments.dropFirst(2).first { setlocale(LC_ALL, locale) }
    for code in LAError.Code.allCases { print(LAError(code).localizedDescription) }
    print(String(cString: setlocale(LC_ALL, nil)))
} else if let at = arguments.firstIndex(of: "--rounds"), let rounds = Int(arguments[at + 1]) {
    await goThrough(rounds: rounds, arguments.first ?? "")
} else if arguments.contains("--cancelled") {
    await askCancelled(arguments.first ?? "")
} else {
    let isOwner = arguments.contains("--owner")
    let context = LAContext(socketPath: arguments.first ?? "")
    for _ in 0..<(arguments.contains("--twice") ? 2 : 1) {
        do {
            _ = try await context.evaluatePolicy(
                isOwner ? .deviceOwnerAuthentication : .deviceOwnerAuthenticationWithBiometrics,
                localizedReason: "open the vault")
            print("let in")
        } catch let error as LAError {
            print(error.code.rawValue, error.cause?.rawValue ?? "")
        }
    }
    if isOwner { print("read: \(readLine() ?? "")") }
}
