extension String {
    /// The text as a name that can be shown, logged and sent: without control characters, and of at most
    /// `Limits.labelBytes` bytes. Drivers and devices make up names that may be anything.
    public var asLabel: String {
        var label = ""
        for scalar in unicodeScalars where scalar.properties.generalCategory != .control {
            guard label.utf8.count + UTF8.width(scalar) <= Limits.labelBytes else { break }
            label.unicodeScalars.append(scalar)
        }
        return label
    }
}
