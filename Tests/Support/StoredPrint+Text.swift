import BioauthCore
import CGLib
import Foundation

extension StoredPrint {
    /// The print as if another driver of the image devices had made it.
    public func relabelled(_ driver: String) -> StoredPrint {
        let payload = bytes.dropFirst(3).withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        let value = g_variant_new_from_bytes(StoredPrint.type, payload, 0)
        let text = g_variant_print(value, 1)!
        defer {
            g_free(text)
            g_variant_unref(value)
            g_bytes_unref(payload)
        }
        return StoredPrint(
            text: String(cString: text).replacingOccurrences(of: "'virtual_image'", with: "'\(driver)'"))
    }

    /// A print with the members that the text gives, in GVariant's notation.
    public init(text: String) {
        let value = g_variant_parse(StoredPrint.type, text, nil, nil, nil)!
        defer { g_variant_unref(value) }
        let data = UnsafeRawBufferPointer(start: g_variant_get_data(value), count: Int(g_variant_get_size(value)))
        self.init(bytes: Array("FP3".utf8) + Array(data))
    }

    nonisolated(unsafe) private static let type = g_variant_type_new("(issbymsmsia{sv}v)")
}
