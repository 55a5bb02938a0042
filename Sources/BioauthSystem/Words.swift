import CGLib
import CLinux

/// Words for people, through gettext.
public enum Words {
    public static let domain = "bioauthd"

    /// Takes the locale from the environment and finds the translations. Once, before the first word.
    public static func begin(directory: String) {
        clinux_bind_text(domain, directory)
    }

    /// For a library, which must not set the locale of the program that uses it: has the body say its words in the
    /// language that the environment names, unless the program has chosen one itself.
    public static func inPersonsLanguage<Result>(_ body: () -> Result) -> Result {
        let before = clinux_begin_text(domain)
        defer { clinux_end_text(before) }
        return body()
    }

    /// Finds the translations in a directory, and leaves the program's locale as it is.
    public static func find(in directory: String) {
        clinux_find_text(domain, directory)
    }
}

/// The translation of a message; the places in it are filled with `filled`.
public func tr(_ message: String) -> String {
    // Without a translation gettext gives back what it was given: that has to outlive the call.
    message.withCString { String(cString: g_dgettext(Words.domain, $0)) }
}

/// The translation of a message that depends on a number.
public func tr(_ one: String, _ many: String, _ number: Int) -> String {
    one.withCString { one in
        many.withCString { many in String(cString: g_dngettext(Words.domain, one, many, gulong(clamping: number))) }
    }
}

extension String {
    /// The text with `%1`, `%2`, … replaced by what is given, in that order. Others stay as they are.
    public func filled(_ values: String...) -> String {
        var result = ""
        var rest = self[...]
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            let after = rest.index(after: percent)
            if after < rest.endIndex, let place = rest[after].wholeNumberValue, (1...values.count).contains(place) {
                result += values[place - 1]
                rest = rest[rest.index(after: after)...]
            } else {
                result += "%"
                rest = rest[after...]
            }
        }
        return result + rest
    }
}
