extension String {
    /// The text as a name that can be shown, logged and sent: without control characters, and of at most
    /// `Limits.labelBytes` bytes. Drivers and devices make up names that may be anything.
    public var asLabel: String { shortened(toBytes: Limits.labelBytes) }

    /// The text without control characters, cut after so many bytes of UTF-8.
    public func shortened(toBytes limit: Int) -> String {
        var text = ""
        for scalar in unicodeScalars where scalar.properties.generalCategory != .control {
            guard text.utf8.count + UTF8.width(scalar) <= limit else { break }
            text.unicodeScalars.append(scalar)
        }
        return text
    }
}
