import BioauthCore
import BioauthSystem

/// Everything wrong with a configuration, each with its place.
public struct ConfigurationError: Error, Hashable, Sendable {
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        public let file: String
        /// Counted from 1; nil where it is the file as a whole.
        public let line: Int?
        public let message: String

        public var description: String { "\(file):\(line.map { "\($0):" } ?? "") \(message)" }
    }

    public let problems: [Problem]
}

/// The configuration: a key file, and those in the directory beside it whose names end in `.conf`, in order of their
/// names. Later files override earlier ones, key by key.
public enum Configuration {
    public static let systemFile = "/etc/bioauthd/bioauthd.conf"
    /// Bytes that one file may have.
    static let fileBytes = 1 << 20

    /// Reads the settings. The main file may be missing (then the defaults hold), unless `mustExist`.
    ///
    /// - Throws: every problem of every file at once; nothing is taken from a configuration that has one.
    public static func load(_ path: String, mustExist: Bool = false) throws(ConfigurationError) -> Settings {
        var settings = Settings()
        var problems: [ConfigurationError.Problem] = []
        let directory = path + ".d"
        var files = [path]
        do {
            files += try Directory.names(in: directory).filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }.map {
                "\(directory)/\($0)"
            }
        } catch {
            problems.append(.init(file: directory, line: nil, message: error.description))
        }
        for file in files {
            do {
                apply(
                    try SmallFile.read(file, limit: fileBytes, followingLinks: true), of: file, to: &settings, &problems
                )
            } catch {
                if error.isMissing && file == path && !mustExist { continue }
                problems.append(.init(file: file, line: nil, message: error.description))
            }
        }
        if problems.isEmpty, settings.mismatchesUntilPassword < settings.mismatchesPerDelay {
            problems.append(
                .init(
                    file: path, line: nil,
                    message: "[lockout] mismatches-until-password is less than mismatches-per-delay"))
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return settings
    }

    private static func apply(
        _ bytes: [UInt8], of file: String, to settings: inout Settings, _ problems: inout [ConfigurationError.Problem]
    ) {
        let lines = ConfigurationLines(bytes)
        if let line = lines.notUTF8 {
            return problems.append(.init(file: file, line: line, message: "not UTF-8"))
        }
        let keys: KeyFile
        do {
            keys = try KeyFile(bytes)
        } catch {
            return problems.append(.init(file: file, line: lines.unreadable, message: error.message))
        }
        for group in keys.groups {
            guard group == "services" || entries.contains(where: { $0.group == group }) else {
                problems.append(.init(file: file, line: lines.of(group), message: "unknown group [\(group)]"))
                continue
            }
            for key in keys.keys(in: group) {
                let message =
                    group == "services"
                    ? setService(key, keys.string(group, key), &settings)
                    : set(group, key, keys.string(group, key), &settings)
                if let message {
                    problems.append(.init(file: file, line: lines.of(key, in: group), message: message))
                }
            }
        }
    }

    /// One key: what it takes, and how it is set; `set` is false for a value it doesn't take.
    private struct Entry {
        let group: String
        let key: String
        let takes: String
        let set: @Sendable (String, inout Settings) -> Bool
    }

    private static let entries: [Entry] = [
        number("lockout", "mismatches-per-delay", 1...20) { $1.mismatchesPerDelay = $0 },
        number("lockout", "delay-seconds", 1...3600) { $1.lockoutDelay = .seconds($0) },
        number("lockout", "mismatches-until-password", 1...100) { $1.mismatchesUntilPassword = $0 },
        flag("password-first", "after-boot") { $1.passwordAfterBoot = $0 },
        number("password-first", "maximum-age-hours", 0...8760) {
            $1.passwordMaximumAge = $0 == 0 ? nil : .seconds($0 * 3600)
        },
        flag("enrollment", "one-finger-one-account") { $1.oneFingerOneAccount = $0 },
        flag("apps", "ask-person") { $1.appsAskPerson = $0 },
        number("reader", "keep-warm-seconds", 0...3600) { $1.readerKeptWarm = .seconds($0) },
        names("reader", "prefer") { $1.preferredReaders = $0 },
    ]

    private static func names(
        _ group: String, _ key: String, _ set: @escaping @Sendable ([String], inout Settings) -> Void
    ) -> Entry {
        Entry(group: group, key: key, takes: "names, none of them twice and each followed by a semicolon") {
            text, settings in
            // Spaces around a name are the file's; what is within it is the name's.
            var names = text.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
            if names.last?.isEmpty ?? false { names.removeLast() }
            guard names.allSatisfy({ !$0.isEmpty && $0.utf8.count <= Limits.labelBytes }),
                Set(names).count == names.count
            else { return false }
            set(names, &settings)
            return true
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    private static func number(
        _ group: String, _ key: String, _ range: ClosedRange<Int>,
        _ set: @escaping @Sendable (Int, inout Settings) -> Void
    ) -> Entry {
        let takes = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return Entry(group: group, key: key, takes: takes) { text, settings in
            guard text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(text), range.contains(value) else {
                return false
            }
            set(value, &settings)
            return true
        }
    }

    private static func flag(
        _ group: String, _ key: String, _ set: @escaping @Sendable (Bool, inout Settings) -> Void
    ) -> Entry {
        Entry(group: group, key: key, takes: "true or false") { text, settings in
            guard text == "true" || text == "false" else { return false }
            set(text == "true", &settings)
            return true
        }
    }

    private static func set(_ group: String, _ key: String, _ value: String?, _ settings: inout Settings) -> String? {
        guard let entry = entries.first(where: { $0.group == group && $0.key == key }) else {
            return "unknown key \(key) in [\(group)]"
        }
        if let value, entry.set(value, &settings) { return nil }
        return "\(key) takes \(entry.takes)\(value.map { ", not \"\($0)\"" } ?? "")"
    }

    private static func setService(_ name: String, _ value: String?, _ settings: inout Settings) -> String? {
        guard name != Settings.passwordService else { return "\(name) never gets a finger" }
        guard name.utf8.count <= Limits.labelBytes else { return "the service's name is too long" }
        if value == "off" {
            settings.services[name] = nil
            settings.servicesOff.insert(name)
        } else if let serviceClass = value.flatMap(ServiceClass.init(name:)) {
            settings.services[name] = serviceClass
            settings.servicesOff.remove(name)
        } else {
            return "\(name) takes login, lock, privilege, app or off\(value.map { ", not \"\($0)\"" } ?? "")"
        }
        return nil
    }
}
