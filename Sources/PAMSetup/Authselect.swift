import BioauthSystem
import PAMStacks

/// authselect(8), where that is the system's way: it writes files that services include, from a profile, over whatever
/// somebody else wrote there. So none of them is changed here; nor is a profile made, which wouldn't follow its vendor's.
enum Authselect {
    static let directory = "/etc/authselect"
    /// The profile's name in its first line, and in each other one a feature that is on.
    static let configuration = "\(directory)/authselect.conf"
    /// Puts fprintd's line before the password's.
    static let fingerFeature = "with-fingerprint"
}

extension PAMTree {
    /// Those of the services at which authselect's feature `with-fingerprint` has another program ask for a finger.
    public func withAuthselectFinger(_ services: some Sequence<String>) -> Set<String> {
        let bytes = (try? SmallFile.read(root + Authselect.configuration, limit: 1 << 16)) ?? []
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.dropFirst().contains(Substring(Authselect.fingerFeature)) else { return [] }
        return Set(
            services.filter { service in
                Stack(of: service, in: files).entries.contains { $0.kind == .otherFinger && isAuthselects($0.file) }
            })
    }

    private func isAuthselects(_ name: String) -> Bool {
        Directory.linkTarget(ownPath(name))?.hasPrefix("\(Authselect.directory)/") == true
    }
}
