import Foundation
import TestSupport

/// What the daemon holds after months' worth of touches and plugging, compared with before.
func wearRows(_ rig: Rig) throws -> [Row] {
    let touches = try ManyTouches()
    var rows = try wearRows("10,000 touches", of: touches.daemon, after: 1000, 10_000, touches.give)
    guard ManyPlugs.isRecorded else {
        print("left out: 1,000 times plugged in, for which FINGERPRINT_RECORDINGS has to name a recording of elan")
        return rows
    }
    let plugs = try ManyPlugs()
    // Until then GLib, libusb and libfprint themselves grow, in any program.
    rows += try wearRows("1,000 times plugged in", of: plugs.daemon, after: 300, 1000, plugs.plug)
    return rows
}

private func wearRows(
    _ name: String, of daemon: DaemonUnderTest, after first: Int, _ count: Int, _ use: (Int) throws -> Void
) throws -> [Row] {
    try use(first)
    let before = try Footprint(of: daemon)
    let begin = monotonicNow()
    try use(count)
    let each = (monotonicNow() - begin).milliseconds / Double(count)
    let after = try Footprint(of: daemon)
    let descriptors = after.descriptors - before.descriptors
    let threads = after.threads - before.threads
    return [
        Row(
            "private memory written to, more after \(name)", "KiB", Double(after.kilobytes - before.kilobytes),
            goal: .under(64, "KiB"),
            note: "\(before.kilobytes) before; each took \(String(format: "%.1f", each)) ms"),
        Row(
            "descriptors and threads more after \(name)", "", Double(max(descriptors, 0) + max(threads, 0)),
            goal: Row.Goal(words: "none") { value, _ in value == 0 },
            note: "\(before.descriptors) and \(before.threads) before"),
    ]
}
