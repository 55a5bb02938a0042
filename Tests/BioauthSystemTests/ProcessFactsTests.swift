import Glibc
import Testing

@testable import BioauthSystem

struct ProcessFactsTests {
    private func facts(_ name: String) -> ProcessFacts? {
        ProcessFacts(
            stat: Array(
                "4711 (\(name)) R 1 4700 4600 34816 4711 4194304 100 0 0 0 1 2 3 4 20 0 1 0 98765 8192 100".utf8))
    }

    @Test(arguments: [
        "sudo", "a b", ")", "a) R 1 7 9 0 7 (", "(((", ")0 1 7 9 0 7 \u{600}", ") S 1 7 9 0 7\u{301}", "\u{200D})",
    ])
    func `whatever a program is called, the numbers behind its name are the kernel's`(name: String) {
        #expect(facts(name)?.processGroup == 4700)
        #expect(facts(name)?.terminal == 34816)
        #expect(facts(name)?.foregroundGroup == 4711)
        #expect(facts(name)?.isInBackground == true)
        #expect(facts(name)?.started == 98765)
    }

    @Test func `a line that lacks a number is none`() {
        #expect(ProcessFacts(stat: Array("1 (a) R 1 2 3".utf8)) == nil)
        #expect(ProcessFacts(stat: Array("1 (a".utf8)) == nil)
        #expect(ProcessFacts(stat: []) == nil)
    }

    @Test func `of this process they are right`() {
        let own = ProcessFacts(pid: getpid())
        #expect(own?.processGroup == getpgrp())
        #expect(ProcessFacts.realUID(pid: getpid()) == getuid())
        #expect(ProcessFacts(pid: Int32.max) == nil)
        #expect(ProcessFacts.realUID(pid: Int32.max) == nil)
    }
}
