import Foundation
import TestSupport
import Testing

@testable import PAMStacks

/// The stacks of real systems with our lines in them, through the real libpam. Each module is pam_debug, which says what
/// it returns: what it returns tells which it stands for.
@Suite(.enabled(if: PAMHost.isBuilt, "make module")) struct WiredLibpamTests {
    @Test(arguments: PlanTests.each)
    func `the password works when no finger comes, and is handed on`(system: TestSystem, service: String) throws {
        for failing in ["authinfo_unavail", "maxtries"] {
            let run = try run(system, service, finger: failing, password: "success")
            #expect(run.result == "PAM_SUCCESS")
            let asked = run.asked.filter { $0 != "auth=ignore" }
            #expect(asked.first == "auth=\(failing)")
            let (right, report) = (asked.firstIndex(of: "auth=success"), asked.firstIndex(of: "auth=cred_unavail"))
            #expect(try #require(right) < #require(report))
        }
    }

    @Test(arguments: PlanTests.each)
    func `a finger lets in, and no password is asked for`(system: TestSystem, service: String) throws {
        let run = try run(system, service, finger: "success", password: "auth_err")
        #expect(run.result == "PAM_SUCCESS")
        #expect(!run.asked.contains("auth=auth_err"))
    }

    @Test(arguments: PlanTests.each)
    func `neither finger nor password: nobody gets in`(system: TestSystem, service: String) throws {
        let run = try run(system, service, finger: "authinfo_unavail", password: "auth_err")
        #expect(run.result != "PAM_SUCCESS")
        #expect(run.asked.contains("auth=auth_err"))
    }

    @Test(arguments: PlanTests.each)
    func `who breaks off at the finger is asked for nothing more`(system: TestSystem, service: String) throws {
        let run = try run(system, service, finger: "conv_err", password: "success")
        #expect(run.result != "PAM_SUCCESS")
        #expect(!run.asked.contains("auth=success"))
    }

    private func run(
        _ system: TestSystem, _ service: String, finger: String, password: String
    ) throws -> (asked: [String], result: String?) {
        var files = system.files
        // What it includes first, as a whole system is wired.
        for name in Stack(of: service, in: files).files.sorted()
        where PlanTests.services.contains(name) && name != service {
            if let wired = try Plan.wire(name, in: files) { files[name] = wired }
        }
        if let wired = try Plan.wire(service, in: files) { files[service] = wired }
        let directory = TemporaryDirectory()
        for (name, file) in files {
            var text = String(decoding: file.bytes, as: UTF8.self)
            text.replace(#/pam_bioauth\.so report/#, with: "pam_debug.so auth=cred_unavail")
            text.replace(#/pam_bioauth\.so/#, with: "pam_debug.so auth=\(finger)")
            text.replace(#/pam_(unix|sss)\.so/#, with: "pam_debug.so auth=\(password)")
            text.replace(#/pam_(?!debug|deny|permit)\w+\.so/#, with: "pam_debug.so auth=ignore")
            text.replace(#/(?<how>include|substack)\s+(?<name>[a-z-]+)/#) {
                "\($0.how) \(directory.file("pam.d"))/\($0.name)"
            }
            try directory.write(text, to: "pam.d/\(name)")
        }
        let run = try RunningProgram.run(
            Built.host, ["--confdir", directory.file("pam.d"), "--service", service, "--user", "root"])
        let lines = PAMHost.lines(run.text)
        return (lines.filter { $0.event == "info" }.compactMap(\.text), lines.first { $0.event == "result" }?.name)
    }
}
