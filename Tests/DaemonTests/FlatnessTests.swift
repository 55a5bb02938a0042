import TestSupport
import Testing

/// A daemon runs for months: nothing that happens often may leave anything behind. `make bench` tries it ten times as
/// often.
@Suite("Flatness") struct FlatnessTests {
    @Test("1,000 touches leave no descriptor, no thread and hardly any memory behind")
    func touches() throws {
        let touches = try ManyTouches()
        try touches.give(200)
        let before = try Footprint(of: touches.daemon)
        try touches.give(1000)
        try Footprint(of: touches.daemon).expectNoMore(than: before)
    }

    @Test(
        "Nor does a reader that was plugged in 100 times",
        .enabled(if: ManyPlugs.isRecorded, "FINGERPRINT_RECORDINGS names no recording of elan"))
    func plugs() throws {
        let plugs = try ManyPlugs()
        try plugs.plug(20)
        let before = try Footprint(of: plugs.daemon)
        try plugs.plug(100)
        try Footprint(of: plugs.daemon).expectNoMore(than: before)
    }
}

extension Footprint {
    /// A leak of a reader, a print or a message each time comes to more.
    fileprivate func expectNoMore(than before: Footprint, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(descriptors <= before.descriptors, sourceLocation: sourceLocation)
        #expect(threads <= before.threads, sourceLocation: sourceLocation)
        #expect(kilobytes < before.kilobytes + 192, "\(before.kilobytes) KiB before", sourceLocation: sourceLocation)
    }
}
