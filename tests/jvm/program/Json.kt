import io.pocketintent.Candidate
import io.pocketintent.Match
import io.pocketintent.Reason

/** A value as JSON in ASCII, with the keys of `pocketintent match`. */
fun json(value: Any?): String =
    when (value) {
        null -> "null"
        is String -> quote(value)
        is Number, is Boolean -> value.toString()
        is Reason -> quote(value.name.lowercase())
        is FloatArray -> value.joinToString(",", "[", "]")
        is List<*> -> value.joinToString(",", "[", "]") { json(it) }
        is Map<*, *> ->
            value.entries.joinToString(",", "{", "}") { "${quote(it.key as String)}:${json(it.value)}" }
        is Candidate ->
            json(mapOf("intent" to value.intent, "score" to value.score, "template" to value.template))
        is Match ->
            json(
                mapOf(
                    "intent" to value.intent,
                    "score" to value.score,
                    "template" to value.template,
                    "nearest" to value.nearest,
                    "runner_up" to value.runnerUp,
                    "margin" to value.margin,
                    "reason" to value.reason,
                )
            )
        else -> error("no JSON for $value")
    }

private fun quote(text: String): String {
    val quoted = StringBuilder("\"")
    for (unit in text) {
        if (unit in ' '..'~' && unit != '"' && unit != '\\') quoted.append(unit)
        else quoted.append("\\u%04x".format(unit.code))
    }
    return quoted.append('"').toString()
}
