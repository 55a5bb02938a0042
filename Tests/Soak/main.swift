import Foundation

do {
    switch try Invocation(Array(CommandLine.arguments.dropFirst())) {
    case .help: print(Invocation.usage, terminator: "")
    case .client(let client): client.run()
    case .soak(let soak): exit(try soak.run() ? 0 : 1)
    }
} catch {
    FileHandle.standardError.write(Data("bioauth-soak: \(error)\n".utf8))
    exit(error is Misuse ? 2 : 1)
}
