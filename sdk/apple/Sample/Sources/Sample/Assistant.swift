import Foundation
import PocketIntent

/// The bot of the app: that of its bundle, until the user has taught it something.
final class Assistant: Sendable {
    private let recognizer: Recognizer
    private let taught: URL

    /// - Parameters:
    ///   - bundled: The bot file that the app came with.
    ///   - folder: Where the bot is kept that was taught.
    init(bundled: URL, folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        taught = folder.appendingPathComponent("bot.safetensors")
        if FileManager.default.fileExists(atPath: taught.path) {
            recognizer = try Recognizer(contentsOf: taught)
        } else {
            recognizer = try Recognizer(contentsOf: bundled)
        }
    }

    func match(_ text: String) -> Match {
        recognizer.match(text)
    }

    /// From now on a text has an intent, of the bot or a new one, and so have texts like it.
    ///
    /// It takes some tens of milliseconds, on a thread of its own.
    func teach(_ text: String, _ intent: String) async throws {
        try recognizer.addIntent(intent, templates: [text])
        try recognizer.save(to: taught)
    }
}
