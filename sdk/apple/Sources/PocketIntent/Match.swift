import CPocketIntent

/// Why a match has no intent.
public enum Reason: String, CaseIterable, Codable, Hashable, Sendable {
    /// The text has the words of a counter-example of the nearest intent, or of a text in `none`.
    case counterExample = "counter_example"
    /// The score is below the intent's threshold.
    case belowThreshold = "below_threshold"
    /// The runner-up is closer than the margin.
    case ambiguous
    /// The model knows nothing in the text, for example because it is empty.
    case unknownWords = "unknown_words"
    /// The bot has no template that the model knows.
    case noTemplates = "no_templates"
}

/// An intent that a text could have.
public struct Candidate: Codable, Hashable, Sendable {
    /// Its name.
    public let intent: String
    /// The probability that the text has the intent, 0...1; with the decisions `nearest` and
    /// `nearest+centroid` its similarity to the intent, -1...1.
    public let score: Double
    /// The intent's template that is nearest to the text.
    public let template: String

    public init(intent: String, score: Double, template: String) {
        self.intent = intent
        self.score = score
        self.template = template
    }
}

/// The answer for one text. Coded, it has the keys that `pocketintent match` prints.
public struct Match: Codable, Hashable, Sendable {
    /// The recognised intent; nil if the match is refused, and `reason` then says why.
    public let intent: String?
    /// The score of the nearest intent; 0 if there is none.
    public let score: Double
    /// The nearest intent's template that is nearest to the text.
    public let template: String?
    /// The intent with the highest score, even if it was refused.
    public let nearest: String?
    /// The next intent; nil if there is no other.
    public let runnerUp: Candidate?
    /// Score less the score of the runner-up, 0...2; nil without a runner-up.
    public let margin: Double?
    /// Why there is no intent; nil if there is one.
    public let reason: Reason?

    public init(
        intent: String?, score: Double, template: String?, nearest: String?, runnerUp: Candidate?,
        margin: Double?, reason: Reason?
    ) {
        self.intent = intent
        self.score = score
        self.template = template
        self.nearest = nearest
        self.runnerUp = runnerUp
        self.margin = margin
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey {
        case intent, score, template, nearest, margin, reason
        case runnerUp = "runner_up"
    }
}

extension Candidate {
    /// Nil if there is no intent.
    init?(_ candidate: pintent_candidate) {
        guard let intent = String(core: candidate.intent),
            let template = String(core: candidate.template_text)
        else { return nil }
        self.init(intent: intent, score: candidate.score, template: template)
    }
}

extension Match {
    init(_ match: pintent_match) {
        self.init(
            intent: String(core: match.intent),
            score: match.nearest.score,
            template: String(core: match.nearest.template_text),
            nearest: String(core: match.nearest.intent),
            runnerUp: match.has_runner_up == 1 ? Candidate(match.runner_up) : nil,
            margin: match.has_runner_up == 1 ? match.margin : nil,
            // The core's words are the raw values; of no reason it has "".
            reason: Reason(rawValue: String(cString: pintent_reason_text(match.reason)))
        )
    }
}
