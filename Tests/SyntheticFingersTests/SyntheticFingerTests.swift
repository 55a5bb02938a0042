import SyntheticFingers
import Testing

@Suite struct SyntheticFingerTests {
    @Test func `The same numbers give the same bytes`() {
        for number in [0, 39, 4711] {
            let image = SyntheticFinger(number: number).impression(7)
            #expect(image.width == SyntheticFinger.imageSide && image.height == SyntheticFinger.imageSide)
            #expect(image == SyntheticFinger(number: number).impression(7))
        }
    }

    @Test func `No two touches are alike`() {
        let images = (0..<3).flatMap { number in
            let finger = SyntheticFinger(number: number)
            return [0, 1, Int.max].map { finger.impression($0).pixels }
        }
        #expect(Set(images).count == images.count)
    }

    /// A rim of the same shape on every impression would look like the same minutiae on every finger.
    @Test func `Ridges fill the pad to its edge`() {
        let side = SyntheticFinger.imageSide
        for number in 0..<10 {
            let image = SyntheticFinger(number: number).impression(0)
            // Any square two periods wide holds ridges and valleys in about equal parts.
            for top in stride(from: 0, through: side - 18, by: side - 18) {
                for left in stride(from: 0, through: side - 18, by: 1) {
                    let dark = (top..<top + 18).reduce(0) { sum, y in
                        sum + (left..<left + 18).count { image.pixels[y * side + $0] < 128 }
                    }
                    #expect((60...264).contains(dark), "\(dark) of 324 at \(left), \(top) of finger \(number)")
                }
            }
        }
    }

    @Test func `A picture can be written as a greymap`() {
        let image = FingerImage(width: 3, height: 2, pixels: [0, 1, 2, 253, 254, 255])
        #expect(image.portableGreymap == Array("P5\n3 2\n255\n".utf8) + [0, 1, 2, 253, 254, 255])
    }
}
