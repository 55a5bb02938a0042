import BioauthCore
import CGLib
import FingerprintReader
import Foundation
import SyntheticFingers
import XCTest

/// libfprint with virtual readers of its own, each of which listens on a socket in a fresh directory once it is open.
@MainActor final class VirtualReaders {
    enum Driver: String, CaseIterable {
        /// Takes images and really compares them.
        case image = "virtual_image"
        /// Takes text for fingers; compares one touch with one print only.
        case device = "virtual_device"
        /// Takes text for fingers, keeps prints itself, and identifies.
        case storage = "virtual_device_storage"

        var variable: String {
            switch self {
            case .image: "FP_VIRTUAL_IMAGE"
            case .device: "FP_VIRTUAL_DEVICE"
            case .storage: "FP_VIRTUAL_DEVICE_STORAGE"
            }
        }
    }

    let source = LibfprintReaders()
    let added = Told<any Reader>()
    let removed = Told<any Reader>()
    private let directory: String
    private let fatalLevels: GLogLevelFlags

    init(_ drivers: Driver...) throws {
        var template = Array("/tmp/fingerprint-reader-XXXXXX".utf8CString)
        directory = String(cString: try XCTUnwrap(mkdtemp(&template)))
        // A call that GLib or libfprint find wrong ends the tests.
        fatalLevels = g_log_set_always_fatal(
            GLogLevelFlags(rawValue: G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_ERROR.rawValue))
        source.onAdded = { [added] in added.append($0) }
        source.onRemoved = { [removed] in removed.append($0) }
        // libfprint looks at its variables when it looks for readers, and only then.
        setenv("FP_DRIVERS_WHITELIST", Driver.allCases.map(\.rawValue).joined(separator: ":"), 1)
        for driver in drivers { setenv(driver.variable, path(of: driver), 1) }
        source.start()
        for driver in drivers { unsetenv(driver.variable) }
        unsetenv("FP_DRIVERS_WHITELIST")
    }

    isolated deinit {
        for reader in added.values {
            // Ends what a test left running or open; refused where there's nothing to end.
            reader.cancel()
            settle()
            _ = try? reader.closing()
        }
        g_log_set_always_fatal(fatalLevels)
        try? FileManager.default.removeItem(atPath: directory)
    }

    func reader(_ driver: Driver, file: StaticString = #filePath, line: UInt = #line) throws -> any Reader {
        let reader = added.values.first { $0.description.driver == driver.rawValue }
        return try XCTUnwrap(reader, file: file, line: line)
    }

    func opened(_ driver: Driver, file: StaticString = #filePath, line: UInt = #line) throws -> any Reader {
        let reader = try reader(driver, file: file, line: line)
        try reader.opening(file: file, line: line).get()
        return reader
    }

    func path(of driver: Driver) -> String {
        directory + "/" + driver.rawValue
    }

    /// Gives one text command, `SCAN left`, and waits until the reader has taken it.
    func tell(
        _ command: String, to driver: Driver = .storage, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let socket = try Socket(to: path(of: driver), file: file, line: line)
        try socket.send(Array(command.utf8), file: file, line: line)
        try turn(file: file, line: line) { socket.isClosedByPeer }
    }
}

/// A stream to a virtual reader.
final class Socket {
    private let descriptor: Int32

    init(to path: String, file: StaticString = #filePath, line: UInt = #line) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let outcome = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        XCTAssertEqual(outcome, 0, "no virtual reader listens on \(path)", file: file, line: line)
    }

    deinit {
        close(descriptor)
    }

    /// Sends all of it; a stream to a virtual reader takes an image without the reader's help.
    func send(_ bytes: [UInt8], file: StaticString = #filePath, line: UInt = #line) throws {
        let sent = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        XCTAssertEqual(sent, bytes.count, file: file, line: line)
    }

    var isClosedByPeer: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }
}

/// Somebody at the image reader.
@MainActor final class Person {
    private let socket: Socket

    init(at readers: VirtualReaders, file: StaticString = #filePath, line: UInt = #line) throws {
        socket = try Socket(to: readers.path(of: .image), file: file, line: line)
    }

    /// Touches and lifts.
    func touch(_ image: FingerImage) throws {
        try command(-3, 1)
        try show(image)
    }

    /// Shows an image with the finger where `finger(present:)` put it.
    func show(_ image: FingerImage) throws {
        try command(Int32(image.width), Int32(image.height))
        try socket.send(image.pixels)
    }

    func finger(present: Bool) throws {
        try command(-3, 0)
        try command(-4, present ? 1 : 0)
    }

    func retry(_ code: Int32) throws { try command(-1, code) }
    func fail(_ code: Int32) throws { try command(-2, code) }
    func unplug() throws { try command(-5, 0) }

    private func command(_ first: Int32, _ second: Int32) throws {
        try socket.send([first, second].flatMap { withUnsafeBytes(of: $0, Array.init) })
    }
}
