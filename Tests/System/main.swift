import Foundation
import TestSupport

guard CommandLine.arguments.count == 4 else {
    say("usage: bioauth-system-test ROOT PACKAGES READER; Tests/System/run.sh prepares them")
    exit(2)
}
let story = Story(
    root: CommandLine.arguments[1], packages: CommandLine.arguments[2], reader: CommandLine.arguments[3])
do {
    try story.tell()
} catch {
    let missing = (error as? InteractiveProgram.Missing)?.text
    say("WRONG: \(missing.map { "the console never showed \"\($0)\"" } ?? "\(error)")")
    say(story.whatHappened)
    exit(1)
}
