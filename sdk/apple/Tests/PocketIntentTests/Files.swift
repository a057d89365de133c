import Foundation
import PocketIntent
import XCTest

/// What the tests read of the checkout: a model, a template set, and the cases.
enum Files {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let repository = tests.appendingPathComponent("../../../..").standardizedFileURL

    static let model = repository.appendingPathComponent("sdk/pocketintent/assets/tiny.safetensors")
    static let templates = repository.appendingPathComponent("templates/smart_home.json")

    /// Bot files and, beside each, its conformance file: lines of JSON as `pocketintent export` writes.
    static func cases() throws -> [(bot: URL, lines: URL)] {
        let given = ProcessInfo.processInfo.environment["POCKETINTENT_CASES"]
        let folder = given.map { URL(fileURLWithPath: $0) } ?? tests.appendingPathComponent("Cases")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let bots = names.filter { $0.hasSuffix(".safetensors") }.sorted()
        if bots.isEmpty {
            throw XCTSkip("no cases: python tests/apple/write_cases.py \(folder.path)")
        }
        return bots.map { name in
            let bot = folder.appendingPathComponent(name)
            return (bot, bot.deletingPathExtension().appendingPathExtension("jsonl"))
        }
    }

    /// The set `smart_home` with the model `tiny`.
    static func recognizer() throws -> Recognizer {
        try Recognizer.fromTemplates(model: model, json: Data(contentsOf: templates))
    }

    /// Two intents with the model `tiny`.
    static func lamp() throws -> Recognizer {
        let json = #"{"on": ["turn on the lamp", "lamp on"], "off": ["turn off the lamp", "lamp off"]}"#
        return try Recognizer.fromTemplates(model: model, json: Data(json.utf8))
    }

    /// Calls `body` with a new folder, which is removed after it.
    static func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }
}
