import BioauthCore

/// A JSON value, and its text on one line with the keys in the order given.
enum JSON {
    case null
    case flag(Bool)
    case number(Int64)
    case text(String)
    case list([JSON])
    case object(KeyValuePairs<String, JSON>)
    case milliseconds(Int64)

    static func text(_ value: String?) -> JSON { value.map { .text($0 as String) } ?? .null }

    /// A time in seconds, to the millisecond.
    static func seconds(_ time: Duration?) -> JSON {
        time.map { .milliseconds($0.clampedNanoseconds / 1_000_000) } ?? .null
    }

    var encoded: String {
        switch self {
        case .null: "null"
        case .flag(let value): value ? "true" : "false"
        case .number(let value): String(value)
        case .text(let value): JSON.quoted(value)
        case .list(let values): "[" + values.map(\.encoded).joined(separator: ",") + "]"
        case .object(let fields):
            "{" + fields.map { "\(JSON.quoted($0.key)):\($0.value.encoded)" }.joined(separator: ",") + "}"
        case .milliseconds(let value):
            "\(value < 0 ? "-" : "")\(value.magnitude / 1000)" + JSON.fraction(value.magnitude % 1000)
        }
    }

    private static func fraction(_ thousandths: UInt64) -> String {
        guard thousandths > 0 else { return "" }
        var digits = String(thousandths + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "." + digits
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            // The C1 controls needn't be escaped, but a terminal may obey them.
            case "\0"..<" ", "\u{7F}"..."\u{9F}":
                result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension Account {
    var json: JSON { .object(["uid": .number(Int64(uid)), "name": .text(name)]) }
}
