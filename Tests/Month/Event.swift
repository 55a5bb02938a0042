extension Month {
    /// What happens, in words that the daemon's decisions alone and the whole daemon can both be played.
    public enum Event: Hashable, Sendable {
        /// A program connects and asks for a person's touch, within a time.
        case ask(client: Int, person: Int, Service, within: Duration)
        /// It closes its connection.
        case leave(client: Int)
        /// It takes its request back, and stays connected.
        case cancel(client: Int)
        /// It is stopped, and reads nothing that it is told until it is thawed.
        case freeze(client: Int)
        case thaw(client: Int)
        case kill(client: Int)
        /// A finger comes onto a reader. One that doesn't stay goes as soon as the driver has seen it.
        case touch(reader: Int, Finger, stays: Bool)
        /// The finger that stayed goes.
        case lift(reader: Int)
        case unplug(reader: Int)
        /// The reader comes back: to its place on the bus, or to another.
        case plug(reader: Int, elsewhere: Bool)
        case sleep
        case wake
        case fault(reader: Int, Fault)
        /// The wall clock is set, forwards or backwards.
        case clockJump(seconds: Int)
        /// SIGKILL, and another takes its place.
        case killDaemon
        /// SIGTERM, and another takes its place.
        case restartDaemon
        case passwordGiven(person: Int)
        case pass(Duration)
    }

    public enum Service: String, CaseIterable, Sendable {
        case sudo, login, lock, app, enrollment
    }

    public enum Finger: Hashable, Sendable {
        /// The finger that the person has enrolled.
        case person(Int)
        /// One that nobody has enrolled.
        case stranger
        /// Whosever it is, the scan is no good.
        case badScan
    }

    public enum Fault: String, CaseIterable, Sendable {
        /// It can't be opened, until it is mended.
        case failsToOpen
        /// It answers to no call any more, until it is mended.
        case hangs
        /// What runs at it ends with a general error.
        case error
        /// What runs at it ends with a protocol error.
        case protocolError
        /// It is too hot to be used, until it has cooled.
        case hot
        case cool
        case mends
    }
}

extension Month.Event: CustomStringConvertible {
    public var description: String {
        switch self {
        case .ask(let client, let person, let service, let time):
            "client \(client) asks for person \(person): \(service.rawValue), within \(time)"
        case .leave(let client): "client \(client) leaves"
        case .cancel(let client): "client \(client) cancels"
        case .freeze(let client): "client \(client) is stopped"
        case .thaw(let client): "client \(client) goes on"
        case .kill(let client): "client \(client) is killed"
        case .touch(let reader, let finger, let stays):
            "\(finger) touches reader \(reader)\(stays ? ", and stays" : "")"
        case .lift(let reader): "the finger on reader \(reader) goes"
        case .unplug(let reader): "reader \(reader) is unplugged"
        case .plug(let reader, let elsewhere): "reader \(reader) is plugged in\(elsewhere ? ", elsewhere" : "")"
        case .sleep: "the machine sleeps"
        case .wake: "the machine wakes"
        case .fault(let reader, let fault): "reader \(reader): \(fault.rawValue)"
        case .clockJump(let seconds): "the clock jumps by \(seconds) s"
        case .killDaemon: "the daemon is killed"
        case .restartDaemon: "the daemon is started anew"
        case .passwordGiven(let person): "person \(person) gives the password"
        case .pass(let time): "\(time)"
        }
    }
}

extension Month.Finger: CustomStringConvertible {
    public var description: String {
        switch self {
        case .person(let person): "person \(person)"
        case .stranger: "a stranger"
        case .badScan: "a bad scan"
        }
    }
}
