import Foundation

/// A PAM transaction through the real libpam and the built module, in a host program of its own (`pam-host`).
public struct PAMHost {
    /// One line of the host's: what it called, showed or got.
    public struct Line: Decodable, Sendable {
        public let at: Int64
        public let event: String
        public let text: String?
        public let name: String?
        public let took: Int64?
        public let descriptors: Int?
    }

    private let directory: TemporaryDirectory

    /// - Parameter stack: the lines of the service's file; `MODULE` stands for the module's path.
    public init(service: String = "sudo", stack: String, in directory: TemporaryDirectory = TemporaryDirectory()) throws
    {
        self.directory = directory
        self.service = service
        try directory.write(stack.replacing("MODULE", with: Built.module), to: "pam.d/\(service)")
    }

    private let service: String

    /// The directory of the stacks.
    public var configuration: String { directory.file("pam.d") }

    public func arguments(user: String, answers: [String] = [], _ more: [String] = []) -> [String] {
        ["--confdir", configuration, "--service", service, "--user", user] + answers.flatMap { ["--answer", $0] } + more
    }

    public static func lines(_ text: String) -> [Line] {
        text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    /// Whether the module and the host have been built (`make module`).
    public static var isBuilt: Bool {
        FileManager.default.isExecutableFile(atPath: Built.host) && FileManager.default.fileExists(atPath: Built.module)
    }
}
