import CPocketIntent
import Foundation

/// Recognises the intent of a text, by a bot file of `pocketintent build`.
///
///     let recognizer = try Recognizer(contentsOf: url)
///     recognizer.match("could you put the lights on").intent  // "lights_on"
///
/// Any number of threads may use one recogniser at the same time. An edit takes some tens to hundreds
/// of milliseconds, while other threads match with the bot as it was before; they never meet half an
/// edit. Edits at the same time are made one after another.
public final class Recognizer: @unchecked Sendable {
    /// Guards `bot`, and nothing that takes long.
    private let lock = NSLock()
    private var bot: Bot
    /// Held during an edit, which starts from the bot of the edit before.
    private let editing = NSLock()

    private init(_ bot: Bot) {
        self.bot = bot
    }

    /// Opens a bot file by memory map. While it is open it may be replaced, but not shortened.
    ///
    /// - Throws: `PocketIntentError`.
    public convenience init(contentsOf url: URL) throws {
        self.init(try Bot.open(.bot, at: url))
    }

    /// Opens the content of a bot file, of which the recogniser keeps a copy.
    ///
    /// - Throws: `PocketIntentError`.
    public convenience init(data: Data) throws {
        self.init(try Bot.open(.bot, in: data))
    }

    /// A bot of a model and a template set, fitted as `pocketintent build` does.
    ///
    /// - Parameters:
    ///   - model: A model file, or a bot file, whose model is used.
    ///   - json: The template set: docs/templates.md.
    /// - Throws: `PocketIntentError`.
    public static func fromTemplates(model: URL, json: Data) throws -> Recognizer {
        Recognizer(try Bot.open(.model, at: model).settingTemplates(json: json))
    }

    /// The same of a model in memory.
    public static func fromTemplates(model: Data, json: Data) throws -> Recognizer {
        Recognizer(try Bot.open(.model, in: model).settingTemplates(json: json))
    }

    // MARK: Texts

    /// The intent of a text.
    public func match(_ text: String) -> Match {
        current.withScratch { bot, scratch in
            text.withCoreText { text in
                var match = pintent_match()
                check(pintent_match_text(bot, scratch, text.data, text.size, &match))
                return Match(match)
            }
        }
    }

    /// The intents of a text from the best on, whatever the thresholds.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - limit: How many intents at most.
    public func rank(_ text: String, limit: Int = 5) -> [Candidate] {
        current.withScratch { bot, scratch in
            let most = min(limit, pintent_num_intents(bot))
            guard most > 0 else { return [] }
            return text.withCoreText { text in
                var candidates = [pintent_candidate](repeating: pintent_candidate(), count: most)
                var count = 0
                check(pintent_rank(bot, scratch, text.data, text.size, most, &candidates, &count))
                return candidates.prefix(count).compactMap { Candidate($0) }
            }
        }
    }

    /// The text as it is matched: itself, or its tokens with their typing errors corrected.
    public func read(_ text: String) -> String {
        current.withScratch { bot, scratch in
            text.withCoreText { text in
                var read = pintent_text()
                check(pintent_read(bot, scratch, text.data, text.size, &read))
                return String(core: read) ?? ""
            }
        }
    }

    /// The sentence vector of a text, not corrected: unit length, or zeros if the model knows nothing
    /// in it.
    public func encode(_ text: String) -> [Float] {
        current.withScratch { bot, scratch in
            text.withCoreText { text in
                var vector = [Float](repeating: 0, count: pintent_dim(bot))
                check(pintent_encode(bot, scratch, text.data, text.size, &vector, vector.count))
                return vector
            }
        }
    }

    // MARK: What is in the bot

    /// Names of the intents in the order of the template set.
    public var intents: [String] {
        current.withPointer { bot in
            (0..<pintent_num_intents(bot)).compactMap { String(core: pintent_intent(bot, $0)) }
        }
    }

    /// The template set as JSON, in its long form: docs/templates.md.
    public var templates: Data {
        get throws { try current.templates() }
    }

    /// The kind of the model, such as `transformer`.
    public var kind: String {
        current.withPointer { bot in String(cString: pintent_kind(bot)) }
    }

    // MARK: Edits

    /// Adds an intent, or gives an intent more templates, counter-examples or a threshold.
    ///
    /// - Parameters:
    ///   - name: The intent.
    ///   - templates: Texts that express it; at least one for a new intent.
    ///   - except: Counter-examples: texts that resemble the intent and do not express it.
    ///   - threshold: From which score on it is accepted, -1...1; nil keeps that of the intent, or of
    ///     the set.
    /// - Throws: `PocketIntentError`; the bot is then as before.
    public func addIntent(
        _ name: String, templates: [String] = [], except: [String] = [], threshold: Double? = nil
    ) throws {
        try edit { bot in
            try bot.adding(name, templates: templates, except: except, threshold: threshold)
        }
    }

    /// Removes an intent with its texts.
    ///
    /// - Throws: `PocketIntentError.templates` if there is none of this name.
    public func removeIntent(_ name: String) throws {
        try edit { bot in try bot.removing(name) }
    }

    /// Takes another template set for the same model.
    ///
    /// - Parameter json: The template set: docs/templates.md.
    /// - Throws: `PocketIntentError`; the bot is then as before.
    public func setTemplates(json: Data) throws {
        try edit { bot in try bot.settingTemplates(json: json) }
    }

    /// Saves the bot as a bot file, which appears whole or not at all.
    ///
    /// - Throws: `PocketIntentError`; an old file is then unchanged.
    public func save(to url: URL) throws {
        try current.save(to: url)
    }

    /// The content of the bot's file.
    public func data() throws -> Data {
        try current.data()
    }

    private var current: Bot {
        lock.lock()
        defer { lock.unlock() }
        return bot
    }

    private func edit(_ change: (Bot) throws -> Bot) throws {
        editing.lock()
        defer { editing.unlock() }
        let old = current
        let next = try change(old)
        lock.lock()
        bot = next
        lock.unlock()
        withExtendedLifetime(old) {}  // it ends after the lock
    }
}

/// With a scratch, the calls of a match fail for wrong arguments alone.
private func check(_ status: pintent_status) {
    precondition(status == PINTENT_OK, String(cString: pintent_status_text(status)))
}
