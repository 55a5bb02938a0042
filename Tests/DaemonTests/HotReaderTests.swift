import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

/// The real daemon on a reader that libfprint takes for too hot, as it does after three minutes of use without a pause.
/// For libfprint alone a minute takes a second.
@Suite("A reader that gets too hot") struct HotReaderTests {
    private static let fastClock = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdint.h>
        #include <time.h>

        /* GLib doesn't call these functions of its own through the linker: its loop goes on at its pace. */
        int64_t g_get_monotonic_time(void)
        {
            struct timespec now;

            clock_gettime(CLOCK_MONOTONIC, &now);
            return (now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000) * 60;
        }

        int64_t g_source_get_time(void *source)
        {
            int64_t (*get)(void *) = (int64_t (*)(void *))dlsym(RTLD_NEXT, "g_source_get_time");

            return get(source) * 60;
        }

        void g_source_set_ready_time(void *source, int64_t time)
        {
            void (*set)(void *, int64_t) = (void (*)(void *, int64_t))dlsym(RTLD_NEXT, "g_source_set_ready_time");

            set(source, time > 0 ? time / 60 : time);
        }
        """

    @Test("is left alone until it has cooled down, which is told, and then asks again")
    func hot() throws {
        let directory = TemporaryDirectory()
        let source = try directory.write(HotReaderTests.fastClock, to: "clock.c")
        let clock = directory.file("clock.so")
        let compiler = try RunningProgram("/usr/bin/gcc", ["-shared", "-fPIC", "-o", clock, source, "-ldl"])
        try #require(try compiler.wait() == 0, "\(compiler.text)")

        let daemon = try DaemonUnderTest.enrolled(in: directory, environment: ["LD_PRELOAD": clock])
        let sudo = try daemon.connect()
        try sudo.send(
            .authenticate(
                Authenticate(
                    account: DaemonUnderTest.account, service: "sudo", timeout: .seconds(60), fingerOnly: false)))
        try sudo.receive { if case .prompt = $0 { true } else { false } }
        let waits = try sudo.receive(within: .seconds(20))
        #expect(waits == .waiting(Wait(cause: .readerHot)), "\(daemon.log)")
        #expect(try daemon.status().readerState == .failing)
        let asked = try sudo.receive(within: .seconds(20))
        guard case .prompt(let prompt) = asked else { throw DaemonUnderTest.Unexpected(asked) }
        #expect(prompt.again)
        try daemon.touch(1)
        #expect(try sudo.receive(within: .seconds(10)) == .verdict(.allowed(.rightIndex)))
        // It was tried once: when libfprint ended it.
        #expect(daemon.log.components(separatedBy: "could not be").count == 2)
        let told = daemon.log.split(separator: "\n").filter { $0.contains("cause=readerHot") && !$0.contains("peer_") }
        let name = "Virtual image device for debugging"
        #expect(told.count == 2)
        #expect(told.first?.hasPrefix("Reader too hot: \(name); it is left alone until it has cooled down") ?? false)
        #expect(told.last?.hasPrefix("Reader has cooled down: \(name) (after ") ?? false)
    }
}
