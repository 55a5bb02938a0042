import BioauthCore
import XCTest

/// The calls of a reader, with what they told; none may tell before it returned.
extension Reader {
    func opening(file: StaticString = #filePath, line: UInt = #line) throws -> Result<Void, ReaderFault> {
        let done = Told<Result<Void, ReaderFault>>()
        open { done.append($0) }
        XCTAssert(done.values.isEmpty, "done before the call returned", file: file, line: line)
        return try done.one(file: file, line: line)
    }

    func closing(file: StaticString = #filePath, line: UInt = #line) throws -> Result<Void, ReaderFault> {
        let done = Told<Result<Void, ReaderFault>>()
        close { done.append($0) }
        XCTAssert(done.values.isEmpty, "done before the call returned", file: file, line: line)
        return try done.one(file: file, line: line)
    }

    func listing(file: StaticString = #filePath, line: UInt = #line) throws -> Result<[StoredPrint], ReaderFault> {
        let done = Told<Result<[StoredPrint], ReaderFault>>()
        list { done.append($0) }
        XCTAssert(done.values.isEmpty, "done before the call returned", file: file, line: line)
        return try done.one(file: file, line: line)
    }

    func deleting(
        _ print: StoredPrint, file: StaticString = #filePath, line: UInt = #line
    ) throws -> Result<Void, ReaderFault> {
        let done = Told<Result<Void, ReaderFault>>()
        delete(print) { done.append($0) }
        XCTAssert(done.values.isEmpty, "done before the call returned", file: file, line: line)
        return try done.one(file: file, line: line)
    }

    func identifying(
        _ gallery: [StoredPrint], file: StaticString = #filePath, line: UInt = #line
    ) -> Identifying {
        let told = Identifying()
        identify(gallery: gallery) {
            XCTAssert(told.done.values.isEmpty, "shown after done", file: file, line: line)
            told.shown.append($0)
        } done: {
            told.done.append($0)
        }
        XCTAssert(told.done.values.isEmpty, "done before the call returned", file: file, line: line)
        return told
    }

    func enrolling(
        as accountName: String = "user", _ finger: Finger = .rightIndex, file: StaticString = #filePath,
        line: UInt = #line
    ) -> Enrolling {
        let told = Enrolling()
        enroll(accountName: accountName, finger: finger) {
            XCTAssert(told.done.values.isEmpty, "progress after done", file: file, line: line)
            told.progress.append(Progress(completed: $0, retry: $1))
        } done: {
            told.done.append($0)
        }
        XCTAssert(told.done.values.isEmpty, "done before the call returned", file: file, line: line)
        return told
    }
}

@MainActor struct Identifying {
    let shown = Told<Identification>()
    let done = Told<Result<Void, ReaderFault>>()
}

struct Progress: Hashable {
    let completed: Int
    let retry: RetryReason?
}

@MainActor struct Enrolling {
    let progress = Told<Progress>()
    let done = Told<Result<StoredPrint, ReaderFault>>()
}

extension Result where Failure == ReaderFault {
    var fault: ReaderFault? {
        if case .failure(let fault) = self { fault } else { nil }
    }
}

/// Checks for a fault that carries words, whatever they are.
func assertFailed<Value>(
    _ result: Result<Value, ReaderFault>, file: StaticString = #filePath, line: UInt = #line
) {
    guard case .failure(.failed(let words)) = result, !words.isEmpty else {
        return XCTFail("\(result) is no failure with words", file: file, line: line)
    }
}
