/// A grey picture of a finger as a reader of 500 dots per inch sees it.
public struct FingerImage: Equatable, Sendable {
    /// Pixels in a row.
    public let width: Int
    /// Rows.
    public let height: Int
    /// `width` × `height` bytes, row by row from the top: 0 is a ridge, 255 is paper.
    public let pixels: [UInt8]

    /// A picture from its pixels; traps unless there are `width` × `height` of them.
    public init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(width > 0 && height > 0 && pixels.count == width * height)
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// The picture as a binary portable greymap (PGM, `P5`).
    public var portableGreymap: [UInt8] {
        Array("P5\n\(width) \(height)\n255\n".utf8) + pixels
    }
}
