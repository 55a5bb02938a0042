import Foundation
import TestSupport
import Testing

@testable import LocalAuthentication

/// What a program's person reads, from a process of its own: the language is one process's.
@Suite struct LanguageTests {
    /// The translation, compiled anew.
    private let translations = TemporaryDirectory()

    init() throws {
        let messages = translations.file("ko/LC_MESSAGES")
        try FileManager.default.createDirectory(atPath: messages, withIntermediateDirectories: true)
        let done = try RunningProgram.run(
            "/usr/bin/msgfmt", ["--check", "-o", "\(messages)/bioauthd.mo", "\(Built.package)/po/ko.po"])
        try #require(done.status == 0, "msgfmt is of gettext")
    }

    /// The words of every error, and the process's own locale after.
    private func words(in locale: String, chosen: String? = nil) throws -> (words: [String], locale: String) {
        // No Korean locale has to be installed: gettext goes by LANGUAGE in every locale but "C".
        let told = try RunningProgram.run(
            Built.program("bioauth-evaluate"), ["--words", translations.path] + [chosen].compactMap(\.self),
            environment: ["LC_ALL": locale, "LANGUAGE": "ko"])
        var lines = told.text.split(separator: "\n").map(String.init)
        try #require(told.status == 0 && lines.count == LAError.Code.allCases.count + 1, "\(told)")
        let locale = lines.removeLast()
        return (lines, locale)
    }

    @Test func `errors speak the language of the person's environment, and the program's locale stays as it is`() throws
    {
        let told = try words(in: "C.UTF-8")
        #expect(told.words.allSatisfy(\.isKorean) && Set(told.words).count == told.words.count)
        #expect(told.locale == "C")
    }

    @Test func `a program that has chosen its locale itself is spoken to in that`() throws {
        #expect(try words(in: "C", chosen: "C.UTF-8").words.allSatisfy(\.isKorean))
    }

    @Test func `without a language it is English`() throws {
        #expect(try words(in: "C").words.contains("Cancelled."))
    }
}

extension String {
    fileprivate var isKorean: Bool { contains { "가" <= $0 && $0 <= "힣" } }
}
