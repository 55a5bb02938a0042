public import Foundation
import BioauthCore

/// The ways in which a person can show here that it is they, and how these stand: to be looked at, and to be told of changes.
///
/// As Apple's. What differs: `state` is asked for each time while nobody observes, which takes a millisecond; and without the
/// service that knows, there is no way at all.
open class LAEnvironment: NSObject, @unchecked Sendable {
    /// The environment of the person who runs this program.
    public class var currentUser: LAEnvironment { shared }
    private static let shared = LAEnvironment(socketPath: Release.socket)

    private let socketPath: String
    // Everything that changes is in here.
    private let watching = Locked(Watching())

    fileprivate struct Watching {
        var observers: [WeakObserver] = []
        /// Nil while nobody observes.
        var watch: EnvironmentWatch?
        var state: State?
    }

    // It is called on one queue alone, and by this known by its address.
    fileprivate struct WeakObserver: @unchecked Sendable {
        weak var observer: (any Observer)?
    }

    /// That of a daemon elsewhere.
    package init(socketPath: String) {
        self.socketPath = socketPath
    }

    deinit { watching.withLock { $0.watch }?.stop() }

    /// How it stands now. In a call to an observer: how it stands since the change that is told.
    open var state: State {
        watching.withLock { $0.state } ?? State(EnvironmentWatch.look(at: socketPath))
    }

    /// Has the observer told of changes from now on. It is held weakly, and told on a queue of the environment's own.
    open func addObserver(_ observer: any Observer) {
        let added = WeakObserver(observer: observer)
        // Who is only looked at in here may be let go by that: not before it is left.
        let seen = watching.withLock { watching in
            let seen = watching.remove(added)
            watching.observers.append(added)
            guard watching.watch == nil else { return seen }
            let watch = EnvironmentWatch(socketPath)
            watching.watch = watch
            watching.state = State(
                watch.start { [weak self, weak watch] facts in
                    guard let self, let watch else { return false }
                    return changed(to: State(facts), by: watch)
                })
            return seen
        }
        withExtendedLifetime(seen) {}
    }

    /// Has it told of nothing more. With the last observer nothing of the system's is held any more.
    open func removeObserver(_ observer: any Observer) {
        let removed = WeakObserver(observer: observer)
        let seen = watching.withLock { watching in
            let seen = watching.remove(removed)
            watching.endIfUnobserved()
            return seen
        }
        withExtendedLifetime(seen) {}
    }

    /// Tells the observers, if something has changed. False: there is none any more.
    private func changed(to new: State, by watch: EnvironmentWatch) -> Bool {
        let (old, observers) = watching.withLock { watching -> (State?, [any Observer]) in
            let seen = watching.remove(nil)
            watching.endIfUnobserved()
            guard watching.watch === watch else { return (nil, seen) }
            let old = watching.state
            watching.state = new
            return (old, seen)
        }
        guard let old else { return false }
        if old != new {
            for observer in observers { observer.environment(self, stateDidChangeFromOldState: old) }
        }
        return true
    }

    /// Who wants to be told of changes.
    public protocol Observer: NSObjectProtocol {
        /// Something has changed; `environment.state` is as it is since.
        func environment(_ environment: LAEnvironment, stateDidChangeFromOldState oldState: LAEnvironment.State)
    }
}

/// `LAEnvironment.Observer` by its name in Objective-C.
public typealias LAEnvironmentObserver = LAEnvironment.Observer

extension LAEnvironment.Observer {
    /// Looks away: Apple's is optional.
    public func environment(_ environment: LAEnvironment, stateDidChangeFromOldState oldState: LAEnvironment.State) {}
}

extension LAEnvironment.Watching {
    /// Removes one, and those that are gone.
    ///
    /// - Returns: those that are left, held: who holds one last lets it go, and what it does then must not find this locked.
    fileprivate mutating func remove(_ removed: LAEnvironment.WeakObserver?) -> [any LAEnvironment.Observer] {
        var seen = removed?.observer.map { [$0] } ?? []
        let one = seen.first
        observers.removeAll { weak in
            guard let observer = weak.observer else { return true }
            if observer === one { return true }
            seen.append(observer)
            return false
        }
        if one != nil { seen.removeFirst() }
        return seen
    }

    fileprivate mutating func endIfUnobserved() {
        guard observers.isEmpty else { return }
        watch?.stop()
        (watch, state) = (nil, nil)
    }
}
