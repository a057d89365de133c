import PocketIntent
import XCTest

/// The code of docs/apple.md, but for its view.
final class PageTests: XCTestCase {
    func testAMatchIsUsed() throws {
        let recognizer = try Files.recognizer()
        let match = recognizer.match("could you put the lights on")
        if let intent = match.intent {
            print(intent, match.score)  // lights_on 0.93
        } else if let reason = match.reason {
            print("no intent:", reason)
        }
        XCTAssertEqual(match.intent, "lights_on")
    }

    func testABotIsMadeFromTemplates() throws {
        let (model, templates) = (Files.model, Files.templates)
        let recognizer = try Recognizer.fromTemplates(
            model: model, json: Data(contentsOf: templates))
        XCTAssertEqual(recognizer.intents.count, 18)
    }

    func testAnIntentIsKept() async throws {
        let recognizer = try Files.recognizer()
        let saved = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(UUID().uuidString).safetensors")
        defer { try? FileManager.default.removeItem(at: saved) }
        let edit = Task.detached {
            try recognizer.addIntent("play_jazz", templates: ["play some jazz", "put on miles davis"])
            try recognizer.save(to: saved)
        }
        try await edit.value
        XCTAssertEqual(try Recognizer(contentsOf: saved).match("some jazz").intent, "play_jazz")
    }

    func testAWrongEditSaysWhatIsWrong() throws {
        let recognizer = try Files.lamp()
        let before = recognizer.intents
        do {
            try recognizer.addIntent("play_jazz", templates: [""])
        } catch PocketIntentError.templates(let message) {
            print(message)  // templates[0] is blank
        }
        XCTAssertEqual(recognizer.intents, before)
        XCTAssertThrowsError(try recognizer.addIntent("play_jazz", templates: [""])) { error in
            print(error.localizedDescription)
        }
    }
}
