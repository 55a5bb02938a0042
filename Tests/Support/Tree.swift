import Foundation

/// A directory's files, held in memory to be laid down again elsewhere.
public struct Tree: Sendable {
    private var files: [(path: String, bytes: Data, mode: Int)] = []

    public init(_ directory: String) throws {
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory).sorted() {
            let whole = "\(directory)/\(path)"
            guard try Tree.kind(of: whole) == .typeRegular else { continue }
            files.append((path, try Data(contentsOf: URL(filePath: whole)), try Tree.mode(of: whole)))
        }
    }

    /// Writes the files below the directory; those above them are for their owner alone.
    public func lay(in directory: String) throws {
        for file in files {
            let path = "\(directory)/\(file.path)"
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try file.bytes.write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: file.mode], ofItemAtPath: path)
        }
    }

    /// The permissions of what lies at a path.
    public static func mode(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as! Int
    }

    private static func kind(of path: String) throws -> FileAttributeType {
        try FileManager.default.attributesOfItem(atPath: path)[.type] as! FileAttributeType
    }
}
