import PocketIntent
import XCTest

final class RecognizerTests: XCTestCase {
    func testATextGetsItsIntent() throws {
        let recognizer = try Files.recognizer()
        let match = recognizer.match("could you turn teh lihgts on")
        XCTAssertEqual(match.intent, "lights_on")
        XCTAssertEqual(match.nearest, "lights_on")
        XCTAssertNil(match.reason)
        XCTAssertGreaterThan(match.score, 0.5)
        let runnerUp = try XCTUnwrap(match.runnerUp)
        XCTAssertEqual(try XCTUnwrap(match.margin), match.score - runnerUp.score, accuracy: 1e-9)
        XCTAssertEqual(recognizer.read("turn the lihgts on"), "turn the lights on")
        XCTAssertEqual(recognizer.kind, "contextual")
    }

    func testARefusalHasItsReason() throws {
        let recognizer = try Files.lamp()
        let empty = Match(
            intent: nil, score: 0, template: nil, nearest: nil, runnerUp: nil, margin: nil,
            reason: .unknownWords)
        XCTAssertEqual(recognizer.match(""), empty)
        XCTAssertEqual(recognizer.match("the weather").reason, .belowThreshold)
        try recognizer.addIntent("on", except: ["is the lamp on"])
        XCTAssertEqual(recognizer.match("is the lamp on").reason, .counterExample)
        let close = #"""
            {"margin": 2, "threshold": -1, "intents": {"a": {"templates": ["lamp"]},
            "b": {"templates": ["lamp on"]}}}
            """#
        try recognizer.setTemplates(json: Data(close.utf8))
        XCTAssertEqual(recognizer.match("lamp").reason, .ambiguous)
        try recognizer.setTemplates(json: Data("{}".utf8))
        XCTAssertEqual(recognizer.match("lamp on").reason, .noTemplates)
        XCTAssertEqual(recognizer.intents, [])
        XCTAssertEqual(recognizer.rank("lamp on"), [])
    }

    func testTheRankingHasAsManyAsAreAskedFor() throws {
        let recognizer = try Files.recognizer()
        let all = recognizer.rank("lamp on", limit: 1000)
        XCTAssertEqual(Set(all.map(\.intent)), Set(recognizer.intents))
        XCTAssertEqual(all.map(\.score), all.map(\.score).sorted(by: >))
        XCTAssertEqual(recognizer.rank("lamp on"), Array(all.prefix(5)))
        XCTAssertEqual(recognizer.rank("lamp on", limit: 1), Array(all.prefix(1)))
        XCTAssertEqual(recognizer.rank("lamp on", limit: 0), [])
        XCTAssertEqual(recognizer.rank("lamp on", limit: -1), [])
        XCTAssertEqual(recognizer.rank(""), [])
    }

    func testTextsMayHaveAnyCharacters() throws {
        let recognizer = try Files.lamp()
        XCTAssertEqual(recognizer.match("lamp\0on").intent, "on")
        XCTAssertEqual(recognizer.match("🙂 lamp on 🙂").nearest, "on")
        XCTAssertEqual(recognizer.read("\u{0130}\0🙂"), "\u{0130}\0🙂")
        let long = String(repeating: "lamp on ", count: 100_000)
        XCTAssertEqual(recognizer.match(long), recognizer.match(long))
        // A string of Foundation, which is not UTF-8 in memory.
        XCTAssertEqual(recognizer.match(NSString(string: "lämp on") as String).nearest, "on")
    }

    func testAVectorHasUnitLength() throws {
        let recognizer = try Files.lamp()
        let vector = recognizer.encode("turn on the lamp")
        XCTAssertEqual(vector.count, 128)
        XCTAssertEqual(vector.reduce(0) { $0 + $1 * $1 }, 1, accuracy: 1e-5)
        XCTAssertEqual(recognizer.encode(""), [Float](repeating: 0, count: 128))
    }

    func testAMatchIsCodedWithTheKeysOfTheCommand() throws {
        let match = try Files.lamp().match("lamp on")
        let json = try JSONEncoder().encode(match)
        XCTAssertEqual(try JSONDecoder().decode(Match.self, from: json), match)
        let keys = try XCTUnwrap(JSONSerialization.jsonObject(with: json) as? [String: Any]).keys
        XCTAssertEqual(
            Set(keys), ["intent", "score", "template", "nearest", "runner_up", "margin"])
        let refused = try JSONEncoder().encode(Files.lamp().match(""))
        XCTAssertTrue(String(decoding: refused, as: UTF8.self).contains(#""unknown_words""#))
    }
}
