import PocketIntent
import XCTest

final class ErrorTests: XCTestCase {
    /// The message of an error of one case; the test fails for any other.
    private func message(
        of kind: (String) -> PocketIntentError, _ call: () throws -> Void, line: UInt = #line
    ) -> String {
        do {
            try call()
            XCTFail("no error", line: line)
        } catch let error as PocketIntentError {
            XCTAssertEqual(error, kind(error.localizedDescription), line: line)
            XCTAssertFalse(error.localizedDescription.isEmpty, line: line)
            return error.localizedDescription
        } catch {
            XCTFail("\(error)", line: line)
        }
        return ""
    }

    func testAFileThatIsNoBotIsRefused() throws {
        try Files.withFolder { folder in
            let url = folder.appendingPathComponent("bot.safetensors")
            let open = { _ = try Recognizer(contentsOf: url) }
            XCTAssertTrue(message(of: PocketIntentError.file, open).contains("bot.safetensors"))
            for content in [Data(), Data("no bot".utf8)] {
                try content.write(to: url)
                _ = message(of: PocketIntentError.modelFile, open)
                _ = message(of: PocketIntentError.modelFile) { _ = try Recognizer(data: content) }
            }
            var bytes = try Files.lamp().data()
            bytes[bytes.count / 2] ^= 1
            _ = message(of: PocketIntentError.modelFile) { _ = try Recognizer(data: bytes) }
            _ = message(of: PocketIntentError.file) { _ = try Recognizer(contentsOf: folder) }
        }
        let page = try XCTUnwrap(URL(string: "https://localhost/bot.safetensors"))
        _ = message(of: PocketIntentError.file) { _ = try Recognizer(contentsOf: page) }
    }

    func testAModelIsNoBot() throws {
        let text = message(of: PocketIntentError.modelFile) {
            _ = try Recognizer(contentsOf: Files.model)
        }
        XCTAssertTrue(text.contains("bot"), text)
    }

    func testWrongEditsLeaveTheBot() throws {
        let recognizer = try Files.lamp()
        let before = try recognizer.data()
        let calls: [() throws -> Void] = [
            { try recognizer.addIntent("new") },
            { try recognizer.addIntent("", templates: ["lamp"]) },
            { try recognizer.addIntent("on", templates: [""]) },
            { try recognizer.addIntent("on", threshold: 2) },
            { try recognizer.addIntent("on", threshold: .nan) },
            { try recognizer.removeIntent("of") },
            { try recognizer.removeIntent("") },
            { try recognizer.setTemplates(json: Data()) },
            { try recognizer.setTemplates(json: Data([0xFF])) },
            { try recognizer.setTemplates(json: Data(#"{"on": []}"#.utf8)) },
        ]
        for call in calls {
            _ = message(of: PocketIntentError.templates, call)
        }
        XCTAssertEqual(try recognizer.data(), before)
    }

    func testABotThatCannotBeSavedSaysSo() throws {
        try Files.withFolder { folder in
            let url = folder.appendingPathComponent("missing/bot.safetensors")
            let recognizer = try Files.lamp()
            _ = message(of: PocketIntentError.file) { try recognizer.save(to: url) }
            _ = message(of: PocketIntentError.file) { try recognizer.save(to: folder) }
            XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [])
        }
    }
}
