import PocketIntent
import XCTest

final class EditTests: XCTestCase {
    private let jazz = ["play some jazz", "put on miles davis", "jazz please"]

    func testAnIntentIsAddedAndRemoved() throws {
        let recognizer = try Files.recognizer()
        let before = recognizer.match("play jazz")
        try recognizer.addIntent("play_jazz", templates: jazz)
        XCTAssertEqual(recognizer.match("some jazz please").intent, "play_jazz")
        XCTAssertEqual(recognizer.intents.last, "play_jazz")
        try recognizer.addIntent("play_jazz", threshold: 1)
        XCTAssertEqual(recognizer.match("some jazz please").reason, .belowThreshold)
        try recognizer.removeIntent("play_jazz")
        XCTAssertFalse(recognizer.intents.contains("play_jazz"))
        XCTAssertEqual(recognizer.match("play jazz").nearest, before.nearest)
    }

    func testTheTemplatesAreThoseThatWereGiven() throws {
        let recognizer = try Files.lamp()
        let templates = try XCTUnwrap(
            JSONSerialization.jsonObject(with: recognizer.templates) as? [String: Any])
        let intents = try XCTUnwrap(templates["intents"] as? [String: [String: [String]]])
        XCTAssertEqual(intents["on"], ["templates": ["turn on the lamp", "lamp on"]])
        let other = try Files.recognizer()
        try other.setTemplates(json: recognizer.templates)
        XCTAssertEqual(try other.templates, try recognizer.templates)
        XCTAssertEqual(other.intents, ["on", "off"])
        XCTAssertEqual(other.match("lamp off"), recognizer.match("lamp off"))
    }

    func testASavedBotAnswersAsBefore() throws {
        let recognizer = try Files.lamp()
        try recognizer.addIntent("play_jazz", templates: jazz, except: ["no jazz"], threshold: 0.4)
        try Files.withFolder { folder in
            let url = folder.appendingPathComponent("Bot für Äpfel.safetensors")
            try recognizer.save(to: url)
            XCTAssertEqual(try Data(contentsOf: url), try recognizer.data())
            let opened = try [Recognizer(contentsOf: url), Recognizer(data: recognizer.data())]
            for other in opened {
                XCTAssertEqual(other.intents, ["on", "off", "play_jazz"])
                for text in jazz + ["no jazz", "lamp on", "lihgt of", ""] {
                    XCTAssertEqual(other.match(text), recognizer.match(text), text)
                }
            }
            // Over the file that is open.
            try opened[0].removeIntent("off")
            try opened[0].save(to: url)
            XCTAssertEqual(try Recognizer(contentsOf: url).intents, ["on", "play_jazz"])
            XCTAssertEqual(opened[0].match("lamp on").intent, "on")
        }
    }

    func testEditsOfABotInMemoryKeepItsContent() throws {
        var first: Recognizer? = try Recognizer(data: Files.recognizer().data())
        try first?.addIntent("play_jazz", templates: jazz)
        let saved = try XCTUnwrap(first?.data())
        first = nil
        // A slice that starts at an odd place in its memory.
        let shifted = (Data([0, 0, 0]) + saved).dropFirst(3)
        let second = try Recognizer(data: shifted)
        XCTAssertEqual(second.match("some jazz please").intent, "play_jazz")
        XCTAssertEqual(try second.data(), saved)
    }

    func testAModelInMemoryIsABotWithTemplates() throws {
        let model = try Data(contentsOf: Files.model)
        let recognizer = try Recognizer.fromTemplates(
            model: model, json: Files.lamp().templates)
        XCTAssertEqual(recognizer.match("lamp on"), try Files.lamp().match("lamp on"))
        // Of a bot file, the model alone.
        let again = try Recognizer.fromTemplates(
            model: recognizer.data(), json: Data(#"{"music": ["play"]}"#.utf8))
        XCTAssertEqual(again.intents, ["music"])
    }
}
