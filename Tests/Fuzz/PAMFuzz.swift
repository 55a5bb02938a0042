import PAMStacks

/// Takes the bytes for a service's file, what follows a byte that no text has for one that it includes, and what follows
/// another for that of all services without lines of their own. What can be wired does what it should, and is what it
/// was when the lines are taken out again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let parts = [UInt8](UnsafeBufferPointer(start: start, count: count))
        .split(separator: 0xFF, maxSplits: 2, omittingEmptySubsequences: false).map { Array($0) }
    var files: ServiceFiles = [:]
    let names = ["test", "more", "other"]
    for (part, name) in zip(parts, names) { files[name] = ServiceFile(part) }
    for (part, name) in zip(parts, names) { precondition(files[name]!.bytes == part) }

    let before = Wiring(Stack(of: "test", in: files))
    if let bare = try? Plan.unwire("test", in: files) { precondition(!bare.hasOurLines) }
    guard let wired = try? Plan.wire("test", in: files) else { return 0 }
    let after = files.with(wired, as: "test")
    precondition(Wiring(Stack(of: "test", in: after)).flaws.isEmpty)
    precondition(try! Plan.wire("test", in: after) == nil)
    if before.fingerLines == 0 && before.reportLines == 0, !files["test"]!.hasOurLines {
        let bare = try! Plan.unwire("test", in: after)!
        precondition(!bare.hasOurLines)
        let stack = Stack(of: "test", in: files.with(bare, as: "test"))
        precondition(Wiring(stack).flaws == before.flaws)
    }
    precondition(!UnifiedDiff.text(files["test"], wired, oldName: "a", newName: "b").isEmpty)
    return 0
}
