import PocketIntent
import XCTest

final class ThreadTests: XCTestCase {
    private let texts = ["lamp on", "turn teh lamp off", "play some jazz", "", "the weather"]
    private let jazz = ["play some jazz", "put on miles davis"]

    func testSixteenThreadsMatchAsOne() throws {
        let recognizer = try Files.recognizer()
        let texts = self.texts
        let expected = texts.map { recognizer.match($0) }
        let wrong = Counter()
        DispatchQueue.concurrentPerform(iterations: 16) { thread in
            for n in 0..<200 {
                let at = (n + thread) % texts.count
                if recognizer.match(texts[at]) != expected[at] { wrong.add() }
            }
        }
        XCTAssertEqual(wrong.total, 0)
    }

    /// Each answer is that of the bot before an edit or after it.
    func testReadersBesideEditsMeetWholeBots() throws {
        let recognizer = try Files.lamp()
        let texts = self.texts
        let before = texts.map { recognizer.match($0) }
        try recognizer.addIntent("play_jazz", templates: jazz)
        let after = texts.map { recognizer.match($0) }
        XCTAssertNotEqual(before, after)
        try recognizer.removeIntent("play_jazz")
        let removed = texts.map { recognizer.match($0) }
        let wrong = Counter()
        let jazz = self.jazz
        DispatchQueue.concurrentPerform(iterations: 9) { thread in
            if thread == 0 {
                for _ in 0..<4 {
                    do {
                        try recognizer.addIntent("play_jazz", templates: jazz)
                        try recognizer.removeIntent("play_jazz")
                    } catch {
                        wrong.add()
                    }
                }
                return
            }
            for n in 0..<400 {
                let at = (n + thread) % texts.count
                let found = recognizer.match(texts[at])
                let isKnown = [before[at], after[at], removed[at]].contains { isNear(found, $0) }
                if !isKnown { wrong.add() }
                let intents = recognizer.intents
                if intents != ["on", "off"] && intents != ["on", "off", "play_jazz"] { wrong.add() }
            }
        }
        XCTAssertEqual(wrong.total, 0)
    }

    func testEditsAtTheSameTimeAreAllMade() throws {
        let recognizer = try Files.lamp()
        let wrong = Counter()
        DispatchQueue.concurrentPerform(iterations: 6) { number in
            do {
                try recognizer.addIntent("new\(number)", templates: ["a new intent \(number)"])
            } catch {
                wrong.add()
            }
        }
        XCTAssertEqual(wrong.total, 0)
        XCTAssertEqual(Set(recognizer.intents), Set(["on", "off"] + (0..<6).map { "new\($0)" }))
    }

    #if os(Linux)
    /// The memory of the process, in bytes.
    private func resident() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try XCTUnwrap(Int(pages[1])) * 4096
    }

    func testOpeningsAndEditsGiveTheirMemoryBack() throws {
        let content = try Files.lamp().data()
        func openAndEdit() throws {
            let recognizer = try Recognizer(data: content)
            try recognizer.addIntent("play_jazz", templates: jazz)
            XCTAssertEqual(recognizer.match("play some jazz").intent, "play_jazz")
        }
        for _ in 0..<20 { try openAndEdit() }
        let before = try resident()
        for _ in 0..<200 { try openAndEdit() }
        // One opening takes more than 1 MB.
        XCTAssertLessThan(try resident() - before, 20_000_000)
    }
    #endif
}

/// After an edit and its end, the classifier's solver may end at slightly other weights.
private func isNear(_ one: Match, _ other: Match) -> Bool {
    one.intent == other.intent && one.nearest == other.nearest && one.reason == other.reason
        && abs(one.score - other.score) < 1e-3
}

/// Counts from any thread.
private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    func add() {
        lock.lock()
        count += 1
        lock.unlock()
    }

    var total: Int {
        lock.lock()
        defer { lock.unlock() }
        return count
    }
}
