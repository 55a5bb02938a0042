import BioauthCore
import BioauthSystem
import BioauthWire

/// Where requests come from: looked up before one is judged, and followed while it runs.
extension Daemon {
    func startSurroundings() {
        surroundings.onChange = { [weak self] in self?.surroundingsChanged() }
        surroundings.onActivity = { [weak self] in
            guard let self else { return }
            act(arbiter.activity(at: now))
        }
        surroundings.onSleep = { [weak self] in self?.sleepChanged($0) }
        surroundings.start()
    }

    /// Goes on once it is known where the peer stands. Until then nothing more is heard from it.
    func locate(
        _ connection: Connection, agent: Int32? = nil, _ done: @escaping @MainActor (Daemon, Surroundings) -> Void
    ) {
        var isKnown = false
        surroundings.surroundings(of: connection.peer, descriptor: connection.descriptor, agent: agent) {
            [weak self] place in
            isKnown = true
            guard let self, !connection.isClosed else { return }
            done(self, place)
            connection.resume()
        }
        if !isKnown { connection.pause() }
    }

    /// Ends what may not go on where it comes from, and lets rest what may go on later.
    private func surroundingsChanged() {
        screenUnlocks.follow(surroundings.now)
        if surroundings.isLidShut == isLidShut {
            tell(WatchEvent(kind: .surroundingsChanged, time: wallMilliseconds))
        } else {
            isLidShut.toggle()
            tellLid(isShut: isLidShut)
        }
        reroute()
        var away: Set<RequestID> = []
        var ending: [RequestID: Denial] = [:]
        for (id, request) in requests {
            guard let cause = obstacle(to: request) else { continue }
            if request.admission != nil && request.serviceClass?.canRest ?? false && cause.passes {
                away.insert(id)
            } else {
                ending[id] = Denial(cause)
            }
        }
        act(arbiter.away(away, ending: ending, at: now))
    }

    private func obstacle(to request: Request) -> Cause? {
        let place = surroundings.now(request.place)
        let isBuiltIn = station(request.reader)?.description.isBuiltIn ?? true
        guard var admission = request.admission, let serviceClass = request.serviceClass else {
            return place.obstacleToEnrolling(isReaderBuiltIn: isBuiltIn)
        }
        admission.surroundings = place
        admission.isReaderBuiltIn = isBuiltIn
        return admission.obstacle(serviceClass)
    }
}

extension ServiceClass {
    /// Whether its requests wait for hours, if need be, for somebody to come.
    fileprivate var canRest: Bool { self == .lock || self == .login }
}

extension Cause {
    /// Whether the person who comes back to the machine ends it.
    fileprivate var passes: Bool { self == .sessionInactive || self == .lidClosed }
}
