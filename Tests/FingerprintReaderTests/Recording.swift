import BioauthCore
import Foundation
import XCTest

@testable import FingerprintReader

/// A recording of a real sensor's traffic.
struct Recording {
    let driver: String
    let path: String

    init(_ driver: String) throws {
        guard let recordings = ProcessInfo.processInfo.environment["FINGERPRINT_RECORDINGS"] else {
            throw XCTSkip("FINGERPRINT_RECORDINGS names no recordings of real readers")
        }
        self.driver = driver
        path = recordings + "/" + driver
        guard FileManager.default.fileExists(atPath: path) else { throw XCTSkip("there is no recording of \(driver)") }
    }

    /// Whether this process is the one that the traffic is played to.
    static var isReplayed: Bool { ProcessInfo.processInfo.environment["FINGERPRINT_RECORDING"] != nil }

    /// umockdev has to be loaded before a process begins, so a test runs once more in another.
    ///
    /// - Parameter traffic: what umockdev-run plays; nil: `capture.ioctl`.
    /// - Returns: in the other process, what runs the test's body with the reader; nil in this one.
    func replayed(
        by test: XCTestCase, _ traffic: [String]? = nil
    ) throws -> ((@MainActor (LibfprintReader) throws -> Void) throws -> Void)? {
        if Recording.isReplayed {
            return { body in
                try onMainActor {
                    let source = LibfprintReaders()
                    let added = Told<any Reader>()
                    source.onAdded = { added.append($0) }
                    source.start()
                    let reader = try XCTUnwrap(try added.one() as? LibfprintReader)
                    XCTAssertEqual(reader.description.driver, driver)
                    try body(reader)
                }
            }
        }
        try again(
            ["umockdev-run", "-d", path + "/device"] + (try traffic ?? captured()) + ["--"], test.name)
        return nil
    }

    /// Runs the test once more, in a process for which something is loaded first.
    func again(_ loader: [String], _ test: String) throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        child.arguments =
            loader + [CommandLine.arguments[0], "FingerprintReaderTests." + test.replacing(".", with: "/")]
        child.environment = ProcessInfo.processInfo.environment.merging([
            "FINGERPRINT_RECORDING": path, "FP_DEVICE_EMULATION": "1", "FP_DRIVERS_WHITELIST": driver,
        ]) { $1 }
        let output = Pipe()
        child.standardOutput = output
        child.standardError = output
        try child.run()
        let told = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        XCTAssertEqual(child.terminationStatus, 0, String(decoding: told.suffix(4000), as: UTF8.self))
    }

    private func captured() throws -> [String] {
        let traffic = try String(contentsOfFile: path + "/capture.ioctl", encoding: .utf8)
        let node = try XCTUnwrap(traffic.firstMatch(of: /@DEV (\S+)/)?.output.1)
        return ["-i", "\(node)=\(path)/capture.ioctl"]
    }

    /// Where the device stands in sysfs.
    var sysfs: String {
        let device = (try? String(contentsOfFile: path + "/device", encoding: .utf8)) ?? ""
        return "/sys" + (device.firstMatch(of: /P: (\S+)/)?.output.1 ?? "")
    }

    /// Writes the traffic of `custom.pcapng` as today's driver makes it. When it was recorded, the driver asked whether the
    /// chip knows a finger already (0x22) with two bytes of the print's name, where it now sends all that it later keeps
    /// the print under (0x11); and it didn't set the mode (0x14) again before each comparison (0x73).
    func asNow(to path: String) throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        child.arguments = ["python3", "-c", Recording.asDriven, self.path + "/custom.pcapng", path]
        try child.run()
        child.waitUntilExit()
        XCTAssertEqual(child.terminationStatus, 0)
    }

    private static let asDriven = #"""
        import struct, sys
        data, at, blocks = open(sys.argv[1], 'rb').read(), 0, []
        while at < len(data):
            kind, length = struct.unpack('<II', data[at:at + 8])
            blocks.append((kind, data[at + 8:at + length - 4]))
            at += length

        # An enhanced packet: 20 bytes of its own, then 64 of the kernel's usbmon, then what went over the wire.
        def sends(at, command):
            kind, body = blocks[at]
            return kind == 6 and body[28:29] == b'S' and body[84:].startswith(bytes.fromhex(command))

        def first(command):
            return next(at for at in range(len(blocks)) if sends(at, command))

        def end(at):
            return next(later for later in range(at + 1, len(blocks)) if blocks[later][1][20:28] == blocks[at][1][20:28])

        name, asked, mode = blocks[first('40ff11')][1][89:184], first('40ff22'), first('40ff14')
        with open(sys.argv[2], 'wb') as out:
            def write(kind, body):
                out.write(struct.pack('<II', kind, len(body) + 12) + body + struct.pack('<I', len(body) + 12))
            for at, (kind, body) in enumerate(blocks):
                if at in (asked, end(asked)):
                    more = bytes.fromhex('40ff22') + name if at == asked else b''
                    packet = body[20:52] + struct.pack('<II', 98, len(more)) + body[60:84] + more
                    body = body[:12] + struct.pack('<II', len(packet), len(packet)) + packet + bytes(-len(packet) % 4)
                if sends(at, '40ff73'):
                    for _, earlier in blocks[mode:mode + 4]:
                        write(6, earlier[:4] + body[4:12] + earlier[12:36] + body[36:48] + earlier[48:])
                write(kind, body)
        """#

    /// The grey of `capture.png`, which is of three equal colours.
    func image() throws -> [UInt8] {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        child.arguments = ["python3", "-c", Recording.greyOfPNG, path + "/capture.png"]
        // What it reads is not played back.
        child.environment = ProcessInfo.processInfo.environment.filter { $0.key != "LD_PRELOAD" }
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        let grey = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        XCTAssertEqual(child.terminationStatus, 0)
        return Array(grey)
    }

    private static let greyOfPNG = """
        import struct, sys, zlib
        data, at, packed = open(sys.argv[1], 'rb').read(), 8, b''
        while at < len(data):
            length, kind = struct.unpack('>I4s', data[at:at + 8])
            body = data[at + 8:at + 8 + length]
            if kind == b'IHDR':
                width, height, depth, colour, _, _, interlace = struct.unpack('>IIBBBBB', body)
                assert (depth, colour, interlace) == (8, 2, 0)
            if kind == b'IDAT': packed += body
            at += 12 + length
        raw, stride = zlib.decompress(packed), 3 * width
        above = bytearray(stride)
        for y in range(height):
            kind, *row = raw[y * (stride + 1):(y + 1) * (stride + 1)]
            for x in range(stride):
                a, b, c = row[x - 3] if x > 2 else 0, above[x], above[x - 3] if x > 2 else 0
                nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
                row[x] = (row[x] + (0, a, b, (a + b) // 2, nearest)[kind]) % 256
            sys.stdout.buffer.write(bytes(row[::3]))
            above = row
        """
}
