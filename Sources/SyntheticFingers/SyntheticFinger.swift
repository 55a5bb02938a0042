import Glibc

/// A finger that no person has: its ridges follow from its number alone.
///
/// The ridges are grown once, when the value is made; an impression is a look at them through a pad.
public struct SyntheticFinger: Sendable {
    /// Which finger this is.
    public let number: Int

    /// The side of an impression, in pixels.
    public static let imageSide = 192

    private let pattern: RidgePattern

    /// Grows the finger of this number, from 0 up; the same number always gives the same finger.
    public init(number: Int) {
        precondition(number >= 0)
        self.number = number
        var random = SplitMix64(UInt64(number))
        let field = OrientationField(using: &random)
        pattern = RidgePattern(field: field, period: random.uniform(8.4...9.6), using: &random)
    }

    /// Impression `m`, from 0 up: as another touch of the same finger, turned, shifted, stretched and pressed a little
    /// differently. The same number always gives the same bytes.
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

/// How one touch differs from the next.
private struct Touch {
    private struct Wave {
        var kx: Float
        var ky: Float
        var phase: Float
        var dx: Float
        var dy: Float

        init(wavelength: ClosedRange<Float>, amplitude: Float, using random: inout SplitMix64) {
            let k = 2 * Float.pi / random.uniform(wavelength)
            let direction = random.uniform(0...(2 * .pi))
            (kx, ky) = (k * cosf(direction), k * sinf(direction))
            phase = random.uniform(0...(2 * .pi))
            dx = random.uniform(-amplitude...amplitude)
            dy = random.uniform(-amplitude...amplitude)
        }

        func value(x: Float, y: Float) -> Float { sinf(kx * x + ky * y + phase) }
    }

    let contrast: Float
    let noise: Float
    private let c: Float
    private let s: Float
    private let shiftX: Float
    private let shiftY: Float
    private let stretch: [Wave]
    private let force: Float
    private let unevenness: [Wave]

    init(using random: inout SplitMix64) {
        let turn = random.uniform(-0.14...0.14)
        (c, s) = (cosf(turn), sinf(turn))
        shiftX = random.uniform(-12...12)
        shiftY = random.uniform(-12...12)
        stretch = (0..<3).map { _ in Wave(wavelength: 180...360, amplitude: 1.6, using: &random) }
        contrast = random.uniform(2.0...3.2)
        force = random.uniform(-0.12...0.12)
        unevenness = (0..<2).map { _ in Wave(wavelength: 90...220, amplitude: 0.10, using: &random) }
        noise = random.uniform(8...16)
    }

    /// Where on the finger the skin lies that touches the pad at (x, y); both in pixels from the middle.
    func source(x: Float, y: Float) -> (x: Float, y: Float) {
        var sx = c * x - s * y + shiftX
        var sy = s * x + c * y + shiftY
        for wave in stretch {
            let value = wave.value(x: x, y: y)
            sx += wave.dx * value
            sy += wave.dy * value
        }
        return (sx, sy)
    }

    /// Added to the height of the skin: a heavy touch widens the ridges, a light one thins them.
    func pressure(x: Float, y: Float) -> Float {
        unevenness.reduce(force) { $0 + $1.dx * $1.value(x: x, y: y) }
    }
}
