import BioauthCore
import Foundation
import TestSupport

/// What `prepare.sh` makes ready.
struct Tools {
    /// The library that is preloaded into daemons.
    let probe: String
    /// The peer, or why there is none.
    let peer: Result<Fprintd.Parts, Trouble>

    /// - Parameter build: the package's build directory.
    init(in build: String) throws {
        let (status, said) = try RunningProgram.run("\(Built.package)/Tests/Bench/prepare.sh", [build], seconds: 600)
        guard status == 0 else { throw Trouble("prepare.sh: \(said)") }
        probe = build + "/bench/probe.so"
        let text = try String(contentsOfFile: build + "/bench/peer", encoding: .utf8)
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            values[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
        }
        if let daemon = values["daemon"], let module = values["module"], let enroll = values["enroll"],
            let bus = values["bus"]
        {
            peer = .success(
                .init(
                    daemon: daemon, module: module, enroll: enroll, bus: bus, libraries: values["libraries"] ?? "",
                    version: values["version"] ?? "?"))
        } else {
            peer = .failure(Trouble(values["missing"] ?? "Tests/Bench/prepare.sh found no peer"))
        }
    }
}

extension Account {
    /// The account that the benchmark runs as.
    static var own: Account { DaemonUnderTest.account }
}

/// Memory that is a process's alone (Private_Clean + Private_Dirty of `smaps_rollup`), in KiB.
func privateMemory(of pid: pid_t) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(pid)/smaps_rollup", encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("Private_Clean:") || $0.hasPrefix("Private_Dirty:") }
        .compactMap { Double($0.split(separator: " ").dropFirst().first ?? "") }.reduce(0, +)
}
