/// What systemd says of a unit.
public struct SystemUnit: Hashable, Sendable {
    public let name: String
    /// `loaded`, `not-found`, `masked`, `bad-setting`, …
    public let load: String
    /// `active`, `inactive`, `failed`, `activating`, …
    public let active: String

    /// Asks `systemctl`; nil where no systemd runs, or it doesn't say.
    public static func all(_ names: [String]) -> [SystemUnit]? {
        guard FileFacts("/run/systemd/system")?.kind == .directory,
            let run = try? ChildProcess(
                ["/usr/bin/systemctl", "show", "--property=Id,LoadState,ActiveState", "--"] + names),
            run.status == 0
        else { return nil }
        let units = parse(run.output)
        return units.count == names.count ? units : nil
    }

    /// One paragraph for each unit, in any order of its lines.
    static func parse(_ text: String) -> [SystemUnit] {
        text.split(separator: "\n\n").compactMap { paragraph in
            var values: [Substring: Substring] = [:]
            for line in paragraph.split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1)
                if parts.count == 2 { values[parts[0]] = parts[1] }
            }
            return SystemUnit(values)
        }
    }

    private init?(_ values: [Substring: Substring]) {
        guard let name = values["Id"], let load = values["LoadState"], let active = values["ActiveState"] else {
            return nil
        }
        self.name = String(name)
        self.load = String(load)
        self.active = String(active)
    }
}
