import Foundation

/// The tables of PROTOCOL.md, so that the page can be held against the code.
struct ProtocolPage {
    /// A field as a message's row names it: what stands behind its name tells whether it may be missing or repeated.
    struct Use: Hashable {
        let name: String
        let isOptional: Bool
    }

    /// Every field's tag and name.
    private(set) var fields: [UInt16: String] = [:]
    /// What the value of each field is, in words.
    private(set) var values: [String: String] = [:]
    /// Every message's type and name.
    private(set) var messages: [UInt16: String] = [:]
    /// The fields of each message, by the message's type.
    private(set) var uses: [UInt16: Set<Use>] = [:]
    /// The fields within a field that holds fields, by its tag.
    private(set) var innerUses: [UInt16: Set<Use>] = [:]

    static let page = ProtocolPage()

    private init() {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/BioauthWire/PROTOCOL.md")
        // A page that can't be read leaves the tables empty, which no test takes for right.
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        var section = ""
        var rows: [(section: String, cells: [String])] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
            guard line.hasPrefix("|") else { continue }
            rows.append((section, line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }))
        }
        for (_, cells) in rows.filter({ $0.section == "Fields" }) {
            let names = cells[1].components(separatedBy: ", ")
            for (tag, name) in zip(cells[0].components(separatedBy: ", ").map(UInt16.init), names) {
                guard let tag else { continue }
                fields[tag] = name
                values[name] = cells[2]
            }
        }
        for (tag, name) in fields where values[name]!.hasPrefix("fields:") { innerUses[tag] = uses(in: values[name]!) }
        for (_, cells) in rows.filter({ $0.section.hasPrefix("From") }) {
            guard let type = UInt16(cells[0]) else { continue }
            messages[type] = cells[1]
            uses[type] = uses(in: cells.count > 2 ? cells[2] : "")
        }
    }

    private func uses(in cell: String) -> Set<Use> {
        let names = Set(fields.values)
        var found: Set<Use> = []
        for match in cell.matches(of: /([A-Za-z]+)([?*]?)/) where names.contains(String(match.1)) {
            found.insert(Use(name: String(match.1), isOptional: !match.2.isEmpty))
        }
        return found
    }
}
