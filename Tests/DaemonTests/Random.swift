/// Numbers that are the same at each run (xorshift64*).
struct Random: RandomNumberGenerator {
    private var state: UInt64

    /// - Parameter seed: not 0.
    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 2_685_821_657_736_338_717
    }

    /// One of 0..<bound.
    mutating func below(_ bound: UInt64) -> UInt64 { next(upperBound: bound) }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) } }
}
