package io.pocketintent

/** Why a match has no intent. */
enum class Reason {
    /** The text has the words of a counter-example of the nearest intent, or of a text in `none`. */
    COUNTER_EXAMPLE,

    /** The score is below the intent's threshold. */
    BELOW_THRESHOLD,

    /** The runner-up is closer than the margin. */
    AMBIGUOUS,

    /** The model knows nothing in the text, for example because it is empty. */
    UNKNOWN_WORDS,

    /** The bot has no template that the model knows. */
    NO_TEMPLATES,
}

/**
 * An intent that a text could have.
 *
 * @property score the probability that the text has the intent, 0..1; with the decisions `nearest` and
 *   `nearest+centroid` its similarity to the intent, -1..1
 * @property template the intent's template that is nearest to the text
 */
data class Candidate(val intent: String, val score: Double, val template: String)

/**
 * The answer for one text.
 *
 * @property intent the recognised intent; null if the match is refused, and [reason] then says why
 * @property score the score of the nearest intent; 0 if there is none
 * @property template the nearest intent's template that is nearest to the text
 * @property nearest the intent with the highest score, even if it was refused
 * @property runnerUp the next intent; null if there is no other
 * @property margin score less that of the runner-up, 0..2; null without a runner-up
 * @property reason why there is no intent; null if there is one
 */
data class Match(
    val intent: String?,
    val score: Double,
    val template: String?,
    val nearest: String?,
    val runnerUp: Candidate?,
    val margin: Double?,
    val reason: Reason?,
)
