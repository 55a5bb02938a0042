import Glibc

/// The direction of the ridges at each point of a finger.
///
/// A core turns the direction by half a turn around it, a delta by half a turn the other way (the zero-pole model of
/// Sherlock and Monro). Points are in pixels from the middle of the pad, y upwards.
struct OrientationField {
    struct Point {
        var x: Float
        var y: Float
    }

    /// A slow bend of the whole field, so that two fingers of one class don't share their flow.
    private struct Bend {
        var kx: Float
        var ky: Float
        var phase: Float
        var amplitude: Float
    }

    /// A core, and the direction in which its ridges bend round: there they turn fast, behind it they run on in parallel.
    private struct Core {
        var position: Point
        var crest: Float
    }

    private var cores: [Core] = []
    private var deltas: [Point] = []
    private static let bias: Float = 0.7
    private var archHeight: Float = 0
    private var archWidth: Float = 1
    private var archMiddle = Point(x: 0, y: 0)
    private var bends: [Bend] = []
    private var tilt: Float

    /// A field of a random class: loops are the most common, then whorls, then arches, as on people's hands.
    init(using random: inout SplitMix64) {
        tilt = random.uniform(-0.12...0.12)
        let middle = Point(x: random.uniform(-14...14), y: random.uniform(-10...22))
        switch random.uniform(0...1) {
        case ..<0.60:
            let side: Float = random.uniform(0...1) < 0.5 ? -1 : 1
            cores = [Core(position: middle, crest: .pi / 2 - side * random.uniform(0.1...0.5))]
            deltas = [Point(x: side * random.uniform(55...110), y: middle.y - random.uniform(85...150))]
        case ..<0.92:
            let gap = random.uniform(8...30)
            let lean = random.uniform(-12...12)
            cores = [
                Core(position: Point(x: middle.x + lean, y: middle.y + gap), crest: .pi / 2),
                Core(position: Point(x: middle.x - lean, y: middle.y - gap), crest: -.pi / 2),
            ]
            deltas = [
                Point(x: -random.uniform(85...140), y: middle.y - random.uniform(80...135)),
                Point(x: random.uniform(85...140), y: middle.y - random.uniform(80...135)),
            ]
        default:
            archMiddle = middle
            archHeight = random.uniform(0.9...1.7)
            archWidth = random.uniform(130...190)
        }
        bends = (0..<3).map { _ in
            let wavelength = random.uniform(100...280)
            let direction = random.uniform(0...(2 * .pi))
            let k = 2 * Float.pi / wavelength
            return Bend(
                kx: k * cosf(direction), ky: k * sinf(direction),
                phase: random.uniform(0...(2 * .pi)), amplitude: random.uniform(0.08...0.20))
        }
    }

    /// The angle of the ridge through a point, in radians counter-clockwise from the x axis, not reduced to a half turn.
    func angle(at p: Point) -> Float {
        var angle = tilt
        for core in cores {
            let turn = atan2f(p.y - core.position.y, p.x - core.position.x) - core.crest
            angle += 0.5 * (core.crest + turn + Self.bias * sinf(turn))
        }
        for delta in deltas { angle -= 0.5 * atan2f(p.y - delta.y, p.x - delta.x) }
        if archHeight > 0 {
            let x = (p.x - archMiddle.x) / archWidth
            let y = (p.y - archMiddle.y) / 110
            angle += atanf(-archHeight * expf(-y * y) * sinf(2 * .pi * min(max(x, -0.5), 0.5)))
        }
        for bend in bends {
            angle += bend.amplitude * sinf(bend.kx * p.x + bend.ky * p.y + bend.phase)
        }
        return angle
    }
}
