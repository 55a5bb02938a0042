import Glibc
import Testing

@testable import BioauthSystem

struct LogLineTests {
    @Test(arguments: [
        ("sudo", "sudo"), ("", "\"\""), ("a b", "\"a b\""), ("a=b", "\"a=b\""), ("a\"b", "\"a\\\"b\""),
        ("pts/1\"\u{301} user=root", "\"pts/1\\\"\u{301} user=root\""), ("a\nb", "a?b"), ("\u{1B}[2J", "?[2J"),
    ])
    func `no value can be taken for another field, end the line or steer a terminal`(value: String, line: String) {
        #expect(Log.quoted(value).unicodeScalars.elementsEqual(line.unicodeScalars))
    }
}

struct FilledTests {
    @Test func `places are filled in whatever order a translation has them`() {
        #expect("%2 before %1, 100%".filled("a", "b") == "b before a, 100%")
        #expect("%1".filled("%1") == "%1")
        #expect("%3".filled("a") == "%3")
    }
}

struct FilesTests {
    @Test func `a small file is read whole or not at all, and through no link unless asked to`() throws {
        var template = Array("/tmp/bioauth-files-XXXXXX".utf8CString)
        let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer {
            for name in (try? Directory.names(in: directory)) ?? [] { unlink("\(directory)/\(name)") }
            rmdir(directory)
        }
        try SmallFile.write([1, 2, 3], to: "\(directory)/file", mode: 0o600)
        #expect(try SmallFile.read("\(directory)/file", limit: 3) == [1, 2, 3])
        #expect(throws: SystemError.self) { try SmallFile.read("\(directory)/file", limit: 2) }
        symlink("file", "\(directory)/link")
        #expect(throws: SystemError.self) { try SmallFile.read("\(directory)/link", limit: 3) }
        #expect(try SmallFile.read("\(directory)/link", limit: 3, followingLinks: true) == [1, 2, 3])
        #expect(throws: SystemError.self) { try Directory.makePrivate("\(directory)/link") }
    }
}

struct SocketTests {
    @Test func `who finds the line full waits for a place, if told to`() async throws {
        var template = Array("/tmp/bioauth-socket-XXXXXX".utf8CString)
        let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
        let path = "\(directory)/socket"
        defer {
            unlink(path)
            rmdir(directory)
        }
        let listener = try SeqpacketSocket.listening(at: path, mode: 0o600, backlog: 0)
        let first = try SeqpacketSocket.connected(to: path)
        #expect(throws: SystemError("connect \(path)", errno: EAGAIN)) { _ = try SeqpacketSocket.connected(to: path) }
        async let second = { try SeqpacketSocket.connected(to: path, patience: 20).descriptor.raw }()
        #expect(try listener.waitReadable(milliseconds: 20_000))
        #expect(try listener.accept() != nil)
        #expect(try await second >= 0)
        _ = first.descriptor.raw
    }
}
