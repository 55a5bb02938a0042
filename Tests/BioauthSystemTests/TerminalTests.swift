import BioauthSystem
import Testing

struct TerminalTests {
    @Test(arguments: [
        "", "console", "tty1", "/dev/tty1", "ssh", ":0", "pts", "pts/", "/dev/pts/", "pts/x", "pts/0/",
        "pts/../console",
        "/dev/pts/../console", "pts/99999", "/dev/pts/99999", "/dev//pts/0", "pts/\u{301}1",
    ])
    func `a name that no node stands for, or that is plain already, stays what it is`(name: String) {
        #expect(Terminal.name(name) == name)
    }
}
