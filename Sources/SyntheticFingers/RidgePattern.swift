import Glibc

/// The ridges of one finger, as a smooth surface: above zero a ridge, below it a valley.
///
/// They grow out of noise: filtering it again and again with Gabor kernels that follow the orientation field, squashed
/// between the rounds, leaves ridges of one period that end and fork where the noise decided.
/// The grid has half the resolution of an impression, where a period is still 4.5 points, which is a sixteenth of
/// the work.
struct RidgePattern {
    /// Points along one side: enough for an impression that is turned, shifted and stretched as far as may be.
    static let side = 132
    /// Pixels of an impression between two points.
    static let spacing: Float = 2

    private static let margin = 5
    private static let directions = 48
    private static let rounds = 10

    private let heights: [Float]

    init(field: OrientationField, period: Float, using random: inout SplitMix64) {
        let side = Self.side
        let stride = side + 2 * Self.margin
        let kernels = Self.kernels(period: period / Self.spacing)
        let bins = Self.directionBins(of: field)

        var surface = [Float](repeating: 0, count: stride * stride)
        for i in surface.indices { surface[i] = random.normal() }
        var next = surface
        for round in 1...Self.rounds {
            Self.filter(surface, into: &next, kernels: kernels, bins: bins)
            if round < Self.rounds {
                for i in next.indices { next[i] = tanhf(2 * next[i]) }
            }
            swap(&surface, &next)
        }
        heights = (0..<side).flatMap { y in
            let start = (y + Self.margin) * stride + Self.margin
            return surface[start..<start + side]
        }
    }

    /// The height at a point, in grid units, by cubic (Catmull-Rom) interpolation; clamped to the inside of the grid.
    func height(x: Float, y: Float) -> Float {
        let limit = Float(Self.side - 3)
        let x = min(max(x, 1), limit)
        let y = min(max(y, 1), limit)
        let column = Int(x)
        let row = Int(y)
        let wx = Self.cubicWeights(x - Float(column))
        let wy = Self.cubicWeights(y - Float(row))
        var sum: Float = 0
        for j in 0..<4 {
            let start = (row - 1 + j) * Self.side + column - 1
            let line = SIMD4(heights[start], heights[start + 1], heights[start + 2], heights[start + 3])
            sum += wy[j] * (line * wx).sum()
        }
        return sum
    }

    private static func cubicWeights(_ t: Float) -> SIMD4<Float> {
        let t2 = t * t
        let t3 = t2 * t
        return SIMD4(
            0.5 * (-t3 + 2 * t2 - t), 0.5 * (3 * t3 - 5 * t2 + 2),
            0.5 * (-3 * t3 + 4 * t2 + t), 0.5 * (t3 - t2))
    }

    /// For each point, which kernel follows the ridges there.
    private static func directionBins(of field: OrientationField) -> [Int] {
        let middle = Float(side - 1) / 2
        var bins: [Int] = []
        bins.reserveCapacity(side * side)
        for y in 0..<side {
            for x in 0..<side {
                let point = OrientationField.Point(
                    x: (Float(x) - middle) * spacing, y: (middle - Float(y)) * spacing)
                let turns = field.angle(at: point) / .pi
                let fraction = turns - turns.rounded(.down)
                bins.append(Int(fraction * Float(directions)) % directions)
            }
        }
        return bins
    }

    /// One Gabor kernel for each direction, of mean zero and unit gain at the ridges' period.
    private static func kernels(period: Float) -> [[Float]] {
        let across: Float = 0.42 * period
        let along: Float = 0.50 * period
        return (0..<directions).map { index in
            // The middle of the bin, in a grid whose y runs downwards.
            let angle = -(Float(index) + 0.5) / Float(directions) * .pi
            let (c, s) = (cosf(angle), sinf(angle))
            var envelope: [Float] = []
            var wave: [Float] = []
            for y in -margin...margin {
                for x in -margin...margin {
                    let u = Float(x) * c + Float(y) * s
                    let v = -Float(x) * s + Float(y) * c
                    envelope.append(expf(-0.5 * (u * u / (along * along) + v * v / (across * across))))
                    wave.append(cosf(2 * .pi * v / period))
                }
            }
            let mean = zip(envelope, wave).reduce(0) { $0 + $1.0 * $1.1 } / envelope.reduce(0, +)
            let kernel = zip(envelope, wave).map { $0 * ($1 - mean) }
            let gain = zip(kernel, wave).reduce(0) { $0 + $1.0 * $1.1 }
            return kernel.map { $0 / gain }
        }
    }

    private static func filter(_ surface: [Float], into result: inout [Float], kernels: [[Float]], bins: [Int]) {
        let stride = side + 2 * margin
        let width = 2 * margin + 1
        for y in 0..<side {
            for x in 0..<side {
                let kernel = kernels[bins[y * side + x]]
                var sum: Float = 0
                for j in 0..<width {
                    let line = (y + j) * stride + x
                    for i in 0..<width { sum += surface[line + i] * kernel[j * width + i] }
                }
                result[(y + margin) * stride + x + margin] = sum
            }
        }
    }
}
