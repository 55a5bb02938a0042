import Foundation
import TestSupport

do {
    switch try Invocation(Array(CommandLine.arguments.dropFirst())) {
    case .help:
        print(Invocation.usage, terminator: "")
    case .stranger(let socketPath, let uid):
        try Strangers.beOne(socketPath: socketPath, uid: uid)
    case .measure(let measure):
        try run(measure)
    }
} catch {
    FileHandle.standardError.write(Data("bioauth-bench: \(error)\n".utf8))
    exit(error is Misuse ? 2 : 1)
}

func run(_ measure: Invocation.Measure) throws {
    let tools = try Tools(in: "\(Built.package)/build")
    let peer =
        switch tools.peer {
        case .success(let parts): "fprintd \(parts.version)"
        case .failure(let why): "none (\(why))"
        }
    var report = Report(Machine(peer: peer, rounds: measure.rounds))
    let rig = try Rig(tools, rounds: measure.rounds)
    if case .success = tools.peer, case .failure(let why) = rig.peer { print("the peer is left out: \(why)") }
    for (name, rows) in measurements(measure) where measure.names.isEmpty || measure.names.contains(name) {
        do {
            report.add(try rows(rig))
        } catch {
            report.add([Row(name, "", nil, note: "\(error)")])
        }
    }
    let path = "\(Built.package)/build/bench.json"
    try report.write(to: path)
    print("written to \(path)")
    if report.rows.contains(where: { $0.value == nil }) { exit(1) }
}

func measurements(_ measure: Invocation.Measure) -> [(name: String, rows: (Rig) throws -> [Row])] {
    [
        ("touch", touchRows), ("prompt", promptRows), ("denial", denialRows), ("prospect", prospectRows),
        ("crowd", crowdRows), ("contention", contentionRows), ("wear", wearRows),
        ("memory", { try memoryRows($0, waits: measure.waits) }), ("stall", stallRows), ("enrolled", enrolledRows),
    ]
}
