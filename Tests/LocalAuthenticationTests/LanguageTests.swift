import BioauthCore
import BioauthSystem
import Foundation
import TestSupport
import Testing

@testable import LocalAuthentication

/// What a program's person reads. Each test has a process of its own, as the language is one process's.
@Suite struct LanguageTests {
    /// The translation, compiled anew.
    private static func compiled() throws -> TemporaryDirectory {
        let directory = TemporaryDirectory()
        let messages = directory.file("ko/LC_MESSAGES")
        try FileManager.default.createDirectory(atPath: messages, withIntermediateDirectories: true)
        let done = try RunningProgram.run(
            "/usr/bin/msgfmt", ["--check", "-o", "\(messages)/bioauthd.mo", "\(Built.package)/po/ko.po"])
        try #require(done.status == 0, "msgfmt is of gettext")
        return directory
    }

    /// No Korean locale has to be installed: gettext goes by LANGUAGE in every locale but "C".
    private static func speakKorean(from directory: String) {
        setenv("LC_ALL", "C.UTF-8", 1)
        setenv("LANGUAGE", "ko", 1)
        Words.find(in: directory)
    }

    @Test func `errors speak the language of the person's environment, and the program's locale stays as it is`()
        async throws
    {
        let directory = try LanguageTests.compiled()
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            LanguageTests.speakKorean(from: path)
            for code in LAError.Code.allCases { #expect(LAError(code).localizedDescription.isKorean, "\(code)") }
            for misuse in LAError.Misuse.allCases { #expect(LAError(misuse).localizedDescription.isKorean) }
            for cause in Cause.allCases {
                let error = LAError(Denial(cause))
                #expect(error.localizedDescription.isKorean, "\(cause)")
                if let next = (error as NSError).localizedRecoverySuggestion { #expect(next.isKorean, "\(cause)") }
            }
            #expect(String(cString: setlocale(LC_ALL, nil)) == "C")
        }
    }

    @Test func `a program that has chosen its locale itself is spoken to in that`() async throws {
        let directory = try LanguageTests.compiled()
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            LanguageTests.speakKorean(from: path)
            #expect(setlocale(LC_ALL, "POSIX") != nil && setlocale(LC_MESSAGES, "C.UTF-8") != nil)
            unsetenv("LC_ALL")
            setenv("LC_ALL", "C", 1)
            #expect(LAError(.userCancel).localizedDescription.isKorean)
        }
    }

    @Test func `without a translation it is English`() async {
        await #expect(processExitsWith: .success) {
            setenv("LC_ALL", "C", 1)
            #expect(LAError(.userCancel).localizedDescription == "Cancelled.")
        }
    }
}

extension String {
    fileprivate var isKorean: Bool { contains { "가" <= $0 && $0 <= "힣" } }
}
