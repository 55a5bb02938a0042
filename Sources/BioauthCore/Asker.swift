/// Who else asks, as it is told to a person: enough to find the program, and no more.
public struct Asker: Hashable, Sendable {
    public let service: String
    public let tty: String?
    public let pid: Int32

    public init(service: String, tty: String?, pid: Int32) {
        self.service = service
        self.tty = tty
        self.pid = pid
    }
}
