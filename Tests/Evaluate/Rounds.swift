import Foundation
import LocalAuthentication
import Synchronization

/// What this process takes of the machine.
private struct Footprint: CustomStringConvertible {
    let descriptors = Footprint.count("/proc/self/fd")
    let threads = Footprint.count("/proc/self/task")
    let kilobytes: Int = {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? .max
    }()

    private static func count(_ directory: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? .max
    }

    var description: String { "\(descriptors) descriptors, \(threads) threads, \(kilobytes) kB" }
}

/// One context's life, ended in one of the ways there are: the person's, the program's, another thread's, or none.
private func round(_ number: Int, _ socketPath: String) async -> LAError.Code? {
    var context: LAContext? = LAContext(socketPath: socketPath)
    let way = number % 6
    context?.promptHandler = { [weak context] prompt in
        guard let prompt else { return }
        switch way {
        case 0: prompt.cancel()
        case 1: context?.invalidate()
        case 2: DispatchQueue.global().async { prompt.cancel() }
        // The password is asked for next.
        case 3 where prompt.kind == .password: context?.invalidate()
        case 3: prompt.chooseFallback()
        default: break
        }
    }
    let policy: LAPolicy =
        way == 3 ? .deviceOwnerAuthentication : .deviceOwnerAuthenticationWithBiometrics
    let error: (any Error)? = await withCheckedContinuation { done in
        context?.evaluatePolicy(policy, localizedReason: "try") { done.resume(returning: $1) }
        switch way {
        case 4: context?.invalidate()
        case 5: context = nil
        default: break
        }
    }
    context?.invalidate()
    return (error as? LAError)?.code
}

/// Goes through so many rounds, a hundred at once.
///
/// - Returns: how many ended how.
private func ends(of rounds: Int, _ socketPath: String) async -> [LAError.Code?: Int] {
    await withTaskGroup(of: [LAError.Code?: Int].self) { group in
        for lane in 0..<100 {
            group.addTask {
                var ends: [LAError.Code?: Int] = [:]
                for number in stride(from: lane, to: rounds, by: 100) {
                    ends[await round(number, socketPath), default: 0] += 1
                }
                return ends
            }
        }
        return await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
    }
}

/// Goes through so many rounds, and prints how they ended and what is left behind of them.
func goThrough(rounds: Int, _ socketPath: String) async {
    // What is made once is made in the first.
    _ = await ends(of: min(rounds, 1000), socketPath)
    let before = Footprint()
    let ends = await ends(of: rounds, socketPath)
    let isFlat = { (after: Footprint) in
        after.descriptors <= before.descriptors && after.threads <= before.threads + 4
            && after.kilobytes <= before.kilobytes + 4096
    }
    // Threads of the last rounds end a little later.
    var after = Footprint()
    for _ in 0..<300 where !isFlat(after) {
        usleep(100_000)
        after = Footprint()
    }
    print(ends.map { "\($0.key.map { "\($0)" } ?? "in"): \($0.value)" }.sorted().joined(separator: ", "))
    print("before: \(before)\nafter: \(after)\n\(isFlat(after) ? "nothing is left" : "something is left")")
}
