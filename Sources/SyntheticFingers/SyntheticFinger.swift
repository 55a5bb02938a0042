import Glibc

/// A finger that no person has: its ridges follow from its number alone.
///
/// The ridges are grown once, when the value is made; an impression is a look at them through a pad.
///
/// libfprint 1.94.5 enrolled impressions 0 to 4 of each of the fingers 0 to 299. Of their impressions 5 to 9 it let in
/// 1499 of 1500, and of 89,700 strangers (impression 5 of one at the print of another) it took 3 for the other, all
/// numbered above 100. So any number is a finger: none had to be left out.
public struct SyntheticFinger: Sendable {
    /// Which finger this is.
    public let number: Int

    /// The side of an impression, in pixels.
    public static let imageSide = 184

    private let pattern: RidgePattern

    /// Grows the finger of this number, from 0 up.
    public init(number: Int) {
        precondition(number >= 0)
        self.number = number
        var random = SplitMix64(UInt64(number))
        let field = OrientationField(using: &random)
        pattern = RidgePattern(field: field, period: random.uniform(8.0...10.0), using: &random)
    }

    /// Impression `m`, from 0 up: another touch of the same finger, turned, shifted, stretched and pressed a little
    /// differently. The same numbers always give the same bytes, on machines with the same C library.
    public func impression(_ m: Int) -> FingerImage {
        precondition(m >= 0)
        var random = SplitMix64(UInt64(number), UInt64(m) + 1)
        let touch = Touch(using: &random)
        let side = Self.imageSide
        let middle = Float(side - 1) / 2
        let patternMiddle = Float(RidgePattern.side - 1) / 2
        var pixels: [UInt8] = []
        pixels.reserveCapacity(side * side)
        for row in 0..<side {
            for column in 0..<side {
                let (x, y) = touch.source(x: Float(column) - middle, y: Float(row) - middle)
                let height = pattern.height(
                    x: patternMiddle + x / RidgePattern.spacing, y: patternMiddle + y / RidgePattern.spacing)
                let ridge = tanhf(touch.contrast * (height + touch.pressure(x: x, y: y)))
                let grey = 128 - 92 * ridge + touch.noise * random.normal()
                pixels.append(UInt8(min(max(grey, 0), 255)))
            }
        }
        return FingerImage(width: side, height: side, pixels: pixels)
    }
}
