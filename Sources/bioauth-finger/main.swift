import Glibc
import SyntheticFingers

do {
    switch try Command(Array(CommandLine.arguments.dropFirst())) {
    case .help:
        print(Command.usage, terminator: "")
    case .image(let finger):
        exit(write(picture(of: finger).portableGreymap) ? 0 : 1)
    case .gesture(let gesture, let reader, let patience):
        try perform(gesture, at: VirtualReader(socketPath: reader, patience: patience))
    }
} catch let misuse as Command.Misuse {
    complain(misuse.words + "; bioauth-finger --help tells more")
    exit(2)
} catch let error as VirtualReaderError {
    switch error {
    case .notReached: complain("the reader did not want a finger in time")
    case .unusablePath: complain("the socket's path is empty or too long")
    case .refused(let code): complain(unsafe String(cString: strerror(code)))
    }
    exit(3)
}

func perform(_ gesture: Command.Gesture, at reader: VirtualReader) throws(VirtualReaderError) {
    switch gesture {
    case .touch(let finger, let lifting): try reader.touch(picture(of: finger), lifting: lifting)
    case .feel(let isOn): try reader.finger(on: isOn)
    case .retry(let code): try reader.retry(code)
    case .error(let code): try reader.error(code)
    case .unplug: try reader.unplug()
    }
}

func picture(of finger: Command.Finger) -> FingerImage {
    let impression = finger.impression ?? Int.random(in: 1_000_000...Int.max)
    return SyntheticFinger(number: finger.number).impression(impression)
}

func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if written < 0 {
            if errno == EINTR { continue }
            complain(unsafe String(cString: strerror(errno)))
            return false
        }
        rest = rest.dropFirst(written)
    }
    return true
}

func complain(_ words: String) {
    let line = Array("bioauth-finger: \(words)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
