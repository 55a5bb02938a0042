/// The SplitMix64 generator: small, seeded, and the same numbers on every machine.
///
/// The standard library's `random(in:using:)` may change between releases, so the mappings are here too.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// A generator for one purpose: different words in the seed give independent streams.
    public init(_ seed: UInt64...) {
        state = 0
        for word in seed {
            state ^= word
            state = next()
        }
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// One of 0..<count.
    public mutating func below(_ count: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(count)).high) }

    public mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

    /// Uniform between the bounds, 24 bits fine.
    mutating func uniform(_ range: ClosedRange<Float>) -> Float {
        let unit = Float(next() >> 40) * 0x1p-24
        return range.lowerBound + unit * (range.upperBound - range.lowerBound)
    }

    /// Close to normal, mean 0 and deviation 1: the sum of four 16-bit uniforms from one draw.
    mutating func normal() -> Float {
        let bits = next()
        let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48)
        return (Float(sum) * 0x1p-16 - 2) * 1.732_050_8
    }
}
