extension String {
    /// The text as a name that can be shown, logged and sent: without what doesn't show or shows elsewhere, and of at most
    /// `Limits.labelBytes` bytes. Drivers and devices make up names that may be anything.
    public var asLabel: String { shortened(toBytes: Limits.labelBytes) }

    /// The text without control characters, those that turn the direction of what is around them, and ends of lines and
    /// paragraphs, cut after so many bytes of UTF-8.
    public func shortened(toBytes limit: Int) -> String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: continue
            default: break
            }
            guard text.utf8.count + UTF8.width(scalar) <= limit else { break }
            text.unicodeScalars.append(scalar)
        }
        return text
    }
}
