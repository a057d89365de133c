import io.pocketintent.ClosedException
import io.pocketintent.Match
import io.pocketintent.Recognizer
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicReference
import kotlin.concurrent.thread

private val TEXTS =
    listOf("turn on the lamp", "lamp off", "play some jazz", "um", "lmap of plaese", "hello", "")

private val EDITS: List<(Recognizer) -> Unit> =
    listOf(
        { it.addIntent("jazz", listOf("play some jazz", "jazz please")) },
        { it.addIntent("greet", listOf("hello", "hi"), except = listOf("hello music")) },
        { it.removeIntent("jazz") },
        { it.addIntent("on", emptyList(), threshold = 0.9) },
        { it.setTemplates("""{"food": ["i want a pizza"], "off": ["lamp off", "stop"]}""") },
        { it.addIntent("jazz", listOf("play music")) },
    )

/** The answers that are right after so many edits. */
private fun answersAfterEdits(path: String): List<List<Match>> =
    Recognizer.open(path).use { recognizer ->
        val before = listOf(TEXTS.map(recognizer::match))
        before + EDITS.map { edit -> edit(recognizer).let { TEXTS.map(recognizer::match) } }
    }

private fun runAll(numThreads: Int, run: (Int) -> Unit, beside: () -> Unit) {
    val failed = AtomicReference<Throwable>()
    val threads =
        List(numThreads) { number ->
            thread {
                try {
                    run(number)
                } catch (error: Throwable) {
                    failed.compareAndSet(null, error)
                }
            }
        }
    beside()
    threads.forEach(Thread::join)
    failed.get()?.let { throw it }
}

/** Each answer is that before or after an edit, and after a newer one there is none of an older. */
fun readBesideEdits(path: String, numThreads: Int) {
    val right = answersAfterEdits(path)
    val isDone = AtomicBoolean()
    val numMatches = AtomicInteger()
    Recognizer.open(path).use { recognizer ->
        val read = { number: Int ->
            var reached = 0
            var text = number
            while (!isDone.get()) {
                val place = text++ % TEXTS.size
                val match = recognizer.match(TEXTS[place])
                val after = (reached until right.size).firstOrNull { right[it][place] == match }
                reached = checkNotNull(after) { "${TEXTS[place]}: $match after edit $reached" }
                recognizer.rank(TEXTS[place])
                numMatches.incrementAndGet()
            }
        }
        runAll(numThreads, read) {
            try {
                for (edit in EDITS) {
                    val seen = numMatches.get()
                    while (numMatches.get() < seen + 50 * numThreads) Thread.sleep(1)
                    edit(recognizer)
                }
            } finally {
                isDone.set(true)
            }
        }
        check(TEXTS.map(recognizer::match) == right.last())
    }
    println(json(mapOf("matches" to numMatches.get(), "edits" to EDITS.size)))
}

/** A recogniser that is closed while others match or edit: each call is done, or says that it is closed. */
fun closeWhileMatching(path: String) {
    val right = Recognizer.open(path).use { recognizer -> TEXTS.map(recognizer::match) }
    val numClosed = AtomicInteger()
    repeat(300) { round ->
        val recognizer = Recognizer.open(path)
        val isEdited = round % 3 == 0
        val call: (Int) -> Unit = { number ->
            try {
                for (text in generateSequence(number) { it + 1 }) {
                    val match = recognizer.match(TEXTS[text % TEXTS.size])
                    check(isEdited || match == right[text % TEXTS.size])
                    if (isEdited) recognizer.addIntent("on", listOf("lamp on"))
                }
            } catch (_: ClosedException) {
                numClosed.incrementAndGet()
            }
        }
        runAll(NUM_CALLERS, call) {
            Thread.sleep(0, 200_000 * (round % 5))
            recognizer.close()
        }
    }
    check(numClosed.get() == 300 * NUM_CALLERS)
    check(numOpen() == 0) { "${numOpen()} recognisers are open" }
    println(json(mapOf("closed" to numClosed.get())))
}

private const val NUM_CALLERS = 4
