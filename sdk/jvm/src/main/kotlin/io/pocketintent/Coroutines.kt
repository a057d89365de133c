package io.pocketintent

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

// For apps with kotlinx.coroutines. A match takes microseconds with `tiny` and `fast`, and needs none of
// these; opening, edits and `default` may take longer than a frame of the screen.

/** [Recognizer.open] on [Dispatchers.IO]. */
suspend fun Recognizer.Companion.openInBackground(path: String): Recognizer {
    var opened: Recognizer? = null
    try {
        return withContext(Dispatchers.IO) { open(path).also { opened = it } }
    } catch (error: CancellationException) {
        opened?.close() // nobody else has it
        throw error
    }
}

/** [Recognizer.match] on [Dispatchers.Default]. */
suspend fun Recognizer.matchInBackground(text: String): Match =
    withContext(Dispatchers.Default) { match(text) }

/** [Recognizer.addIntent] on [Dispatchers.Default]. */
suspend fun Recognizer.addIntentInBackground(
    name: String,
    templates: Collection<String>,
    except: Collection<String> = emptyList(),
    threshold: Double? = null,
) = withContext(Dispatchers.Default) { addIntent(name, templates, except, threshold) }

/** [Recognizer.removeIntent] on [Dispatchers.Default]. */
suspend fun Recognizer.removeIntentInBackground(name: String) =
    withContext(Dispatchers.Default) { removeIntent(name) }

/** [Recognizer.setTemplates] on [Dispatchers.Default]. */
suspend fun Recognizer.setTemplatesInBackground(json: String) =
    withContext(Dispatchers.Default) { setTemplates(json) }

/** [Recognizer.save] on [Dispatchers.IO]. */
suspend fun Recognizer.saveInBackground(path: String) = withContext(Dispatchers.IO) { save(path) }
