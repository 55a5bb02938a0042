import Glibc

/// How one touch differs from the next.
struct Touch {
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
        shiftX = random.uniform(-10...10)
        shiftY = random.uniform(-10...10)
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
