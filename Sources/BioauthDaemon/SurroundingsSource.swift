import BioauthCore
import BioauthSystem

/// Where a peer stands: its process, its session, the lid.
@MainActor public protocol SurroundingsSource {
    /// What is known of the peer at the other end of the descriptor. Called on the loop: it may not block.
    func surroundings(of peer: Peer, descriptor: Int32) -> Surroundings
}

/// What `/proc` says of the peer's process. A peer that is gone, or can't be looked at, counts as in the background.
public struct ProcessSurroundings: SurroundingsSource {
    public init() {}

    public func surroundings(of peer: Peer, descriptor: Int32) -> Surroundings {
        guard let facts = ProcessFacts(pid: peer.pid) else {
            return Surroundings(processGroup: 0, isInBackground: true)
        }
        return Surroundings(
            processGroup: facts.processGroup, realUID: ProcessFacts.realUID(pid: peer.pid),
            isInBackground: facts.isInBackground)
    }
}
