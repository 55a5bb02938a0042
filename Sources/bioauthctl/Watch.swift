import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Glibc

extension Subcommand {
    static var watch: Subcommand {
        Subcommand(
            name: "watch", summary: tr("Show what happens at the daemon as it happens"), takesAccount: false
        ) { invocation throws(Failure) in
            let connection = try invocation.connect()
            let signals = CaughtSignals([SIGINT, SIGTERM])
            do throws(ConnectionError) {
                try connection.send(.watch)
                while true {
                    let message = try connection.receive(within: nil, interruptedBy: signals.descriptor)
                    guard case .event(let event) = message else { throw .outOfTurn }
                    invocation.output.answer(event.words, event.json)
                }
            } catch .interrupted {
                return .yes
            } catch {
                throw Failure(error)
            }
        }
    }
}

extension WatchEvent {
    fileprivate var words: String {
        let service = service.map { name in serviceClass.map { "\(name) (\($0.name))" } ?? name }
        let details = [account?.name, service, finger?.words, reader, cause.map { Explanation($0).what }]
        let told = details.compactMap { $0 }.joined(separator: ", ")
        return "\(localTime)  \(kind.words)" + (told.isEmpty ? "" : ": \(told)")
    }

    /// `14:03:22` where the person is.
    private var localTime: String {
        var seconds = time_t(time / 1000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "--:--:--" }
        return [parts.tm_hour, parts.tm_min, parts.tm_sec]
            .map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
    }

    fileprivate var json: JSON {
        .object([
            "time": .milliseconds(Int64(clamping: time)),
            "event": .text(kind.name),
            "account": account?.json ?? .null,
            "service": .text(service),
            "class": .text(serviceClass?.name),
            "finger": .text(finger?.name),
            "reader": .text(reader),
            "cause": .text(cause?.name),
        ])
    }
}
