import Foundation
import SyntheticFingers
import TestSupport
import Testing

@testable import PAMStacks

/// Holds what this target makes of service files against what libpam does with them: stacks of pam_debug, which returns
/// what it is told to, and says so.
@Suite(.enabled(if: PAMHost.isBuilt, "make module")) struct LibpamTests {
    @Test(arguments: 1...8)
    func `random stacks go the way that libpam goes`(part: Int) throws {
        var random = SplitMix64(UInt64(part))
        for _ in 0..<40 {
            var writer = RandomStack(random: random)
            let files = writer.files()
            random = writer.random
            try compare(files)
        }
    }

    @Test(arguments: [
        // A comment ends a line, whatever its last character; empty lines and comments don't end a continued one.
        "auth optional pam_debug.so auth=success # x \\\nauth required pam_debug.so auth=auth_err\n",
        "auth required \\\n\n# between\n  pam_debug.so \\\n auth=success\n",
        "AUTH Required pam_debug.so auth=success\n-Auth [success=OK] pam_debug.so\n",
        "auth [ success = 1  default= ignore ] pam_debug.so auth=success\nauth required pam_deny.so\n"
            + "auth required pam_debug.so auth=success",
        "auth [required] pam_debug.so auth=success\n",
        "auth [success=0] pam_debug.so auth=success\n",
        "auth [success=done done=ok] pam_debug.so auth=success\n",
        "auth [default=ignore success=ok] pam_debug.so auth=success\n",
        "auth [success=2 default=bad] pam_debug.so auth=success\nauth required pam_debug.so auth=success\n",
        "auth\n", "auth required\n", "wrong required pam_debug.so auth=success\n", "\\\n \n",
        "auth include DIR/nothing\nauth required pam_debug.so auth=success\n",
        "auth substack DIR/nothing\nauth required pam_debug.so auth=success\n",
        "@include DIR/nothing\nauth required pam_debug.so auth=success\n",
        "auth required pam_debug.so auth=success \\\n", "auth required pam_debug.so auth=success \\",
        "auth required pam_nothing.so\nauth required pam_debug.so auth=success\n",
        "-auth sufficient pam_debug.so [auth=succ\\]ess] auth=success\n",
        "auth\trequired\tpam_debug.so\tauth=success\n", "auth required pam_debug.so auth=success\r\n",
        "auth\u{0B}required pam_debug.so auth=success\n", "",
        "account required pam_permit.so\n",
    ])
    func `odd lines are read as libpam reads them`(text: String) throws {
        try compare(["test": text])
        try compare(["test": text, "other": "auth required pam_debug.so auth=success\n"])
        try compare(["test": "@include DIR/more\nauth optional pam_debug.so auth=success\n", "more": text])
        try compare(["test": "auth substack DIR/more\nauth optional pam_debug.so auth=success\n", "more": text])
    }

    /// - Parameter files: by names; in their texts DIR stands for the directory, for Debian's libpam knows only
    ///   /etc/pam.d when it includes.
    private func compare(_ files: [String: String]) throws {
        let directory = TemporaryDirectory()
        var read: ServiceFiles = [:]
        for (name, text) in ["other": "auth requisite pam_deny.so\n"].merging(files, uniquingKeysWith: { $1 }) {
            let text = text.replacing("DIR", with: directory.file("pam.d"))
            let path = try directory.write(text, to: "pam.d/\(name)")
            for name in [name, path] { read[name] = ServiceFile(Array(text.utf8)) }
        }
        let run = try RunningProgram.run(
            Built.host, ["--confdir", directory.file("pam.d"), "--service", "test", "--user", "root"])
        let lines = PAMHost.lines(run.text)
        let verdict = lines.first { $0.event == "result" }?.name
        let stack = Stack(of: "test", in: read)
        if stack.isBroken {
            // Where an included file alone can't be read, libpam only fails in its place.
            #expect(verdict == nil || stack.files.count > 1, "\(files)")
        } else {
            let (asked, predicted) = predicted(stack)
            #expect(lines.filter { $0.event == "info" }.compactMap(\.text) == asked, "\(files)")
            #expect(verdict == predicted, "\(files)")
        }
    }

    /// What pam_debug says one after the other, and how it ends.
    private func predicted(_ stack: Stack) -> ([String], String) {
        var walk = Walk(stack)
        var said: [String] = []
        while let entry = walk.next {
            guard case .module(let module) = stack.entries[entry].what else {
                walk.answer(.mustFail, in: stack)
                continue
            }
            let told = module.arguments.first { $0.hasPrefix("auth=") }
            switch module.name {
            case "pam_debug.so":
                let code = told.flatMap { ReturnCode(name: $0.dropFirst(5)) }
                if let told, code != nil { said.append(told) }
                walk.answer(code ?? .success, in: stack)
            case "pam_deny.so": walk.answer(.authError, in: stack)
            case "pam_permit.so": walk.answer(.success, in: stack)
            default: walk.answer(.moduleUnknown, in: stack)
            }
        }
        return (said, names[walk.verdict] ?? walk.verdict.name)
    }

    private let names: [ReturnCode: String] = [
        .success: "PAM_SUCCESS", .authError: "PAM_AUTH_ERR", .permissionDenied: "PAM_PERM_DENIED",
        .authInfoUnavailable: "PAM_AUTHINFO_UNAVAIL", .userUnknown: "PAM_USER_UNKNOWN", .maxTries: "PAM_MAXTRIES",
        .ignore: "PAM_IGNORE", .moduleUnknown: "PAM_MODULE_UNKNOWN", .abort: "PAM_ABORT",
    ]
}

/// Writes files that include one another, with every kind of control.
private struct RandomStack {
    var random: SplitMix64

    mutating func files() -> [String: String] {
        ["test": file(including: ["a", "b"]), "a": file(including: ["b"]), "b": file(including: [])]
    }

    private mutating func file(including others: [String]) -> String {
        (0..<Int.random(in: 1...5, using: &random)).map { _ in line(including: others) }.joined()
    }

    private mutating func line(including others: [String]) -> String {
        if let other = others.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
            return ["auth include DIR/\(other)\n", "auth substack DIR/\(other)\n", "@include DIR/\(other)\n"]
                .randomElement(using: &random)!
        }
        let code = codes.randomElement(using: &random)!
        let space = ["  ", "\t", " \\\n  "].randomElement(using: &random)!
        return "auth\(space)\(control())\(space)pam_debug.so auth=\(code)\n"
    }

    private let codes = ["success", "auth_err", "user_unknown", "ignore", "authinfo_unavail", "maxtries"]

    private mutating func control() -> String {
        if Bool.random(using: &random) {
            return ["required", "requisite", "sufficient", "optional"].randomElement(using: &random)!
        }
        let named = codes.filter { _ in Bool.random(using: &random) } + ["default"]
        let actions = ["ok", "done", "bad", "die", "ignore", "reset", "1", "2", "3"]
        return "[" + named.map { "\($0)=\(actions.randomElement(using: &random)!)" }.joined(separator: " ") + "]"
    }
}
