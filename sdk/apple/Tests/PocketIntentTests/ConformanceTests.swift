import PocketIntent
import XCTest

/// What a line of a conformance file has beside the match.
private struct Values: Decodable {
    let text: String
    /// The text as it is matched; `write_cases.py` adds it.
    let read: String
    let vector: [Float]
    let scores: [Double]
}

final class ConformanceTests: XCTestCase {
    private let tolerance = 1e-5

    func testEveryLineIsAnsweredAsByPython() throws {
        for (bot, lines) in try Files.cases() {
            let recognizer = try Recognizer(contentsOf: bot)
            let content = try Data(contentsOf: lines)
            let all = content.split(separator: UInt8(ascii: "\n"))
            XCTAssertGreaterThan(all.count, 100, lines.path)
            for line in all {
                let expected = try JSONDecoder().decode(Match.self, from: line)
                let values = try JSONDecoder().decode(Values.self, from: line)
                compare(recognizer.match(values.text), expected, values.text)
                compare(recognizer, values)
            }
        }
    }

    private func compare(_ found: Match, _ expected: Match, _ text: String) {
        XCTAssertEqual(found.intent, expected.intent, text)
        XCTAssertEqual(found.reason, expected.reason, text)
        XCTAssertEqual(found.nearest, expected.nearest, text)
        XCTAssertEqual(found.template, expected.template, text)
        XCTAssertEqual(found.score, expected.score, accuracy: tolerance, text)
        XCTAssertEqual(found.runnerUp?.intent, expected.runnerUp?.intent, text)
        XCTAssertEqual(found.runnerUp?.template, expected.runnerUp?.template, text)
        XCTAssertEqual(
            found.runnerUp?.score ?? 2, expected.runnerUp?.score ?? 2, accuracy: tolerance, text)
        XCTAssertEqual(found.margin ?? 3, expected.margin ?? 3, accuracy: 2 * tolerance, text)
    }

    private func compare(_ recognizer: Recognizer, _ values: Values) {
        XCTAssertEqual(recognizer.read(values.text), values.read)
        let vector = recognizer.encode(values.read).prefix(values.vector.count)
        for (found, expected) in zip(vector, values.vector) {
            XCTAssertEqual(found, expected, accuracy: Float(tolerance), values.text)
        }
        let ranking = recognizer.rank(values.text, limit: .max)
        if ranking.isEmpty {
            XCTAssertEqual(values.scores.filter { $0 != 0 }, [], values.text)
            return
        }
        let best = values.scores.sorted(by: >)
        XCTAssertEqual(ranking.count, best.count)
        for (candidate, expected) in zip(ranking, best) {
            XCTAssertEqual(candidate.score, expected, accuracy: tolerance, values.text)
        }
    }
}
