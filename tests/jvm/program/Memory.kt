import io.pocketintent.Recognizer
import java.io.File
import java.nio.ByteBuffer
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread

/** Bytes of this process that are in memory. */
private fun residentBytes(): Long =
    File("/proc/self/status").readLines().first { it.startsWith("VmRSS:") }.filter(Char::isDigit).toLong() *
        1024

/** Recognisers that are neither closed nor known to be forgotten. */
fun numOpen(): Int =
    Class.forName("io.pocketintent.Net").getDeclaredField("nets").let {
        it.isAccessible = true
        (it.get(null) as Collection<*>).size
    }

/** Prints how many bytes the process grew by, from a fifth of the turns on. */
private fun measureGrowth(times: Int, turn: (Int) -> Unit) {
    repeat(times / 5, turn)
    System.gc()
    val before = residentBytes()
    repeat(times - times / 5, turn)
    System.gc()
    println(json(mapOf("grown" to residentBytes() - before, "before" to before)))
}

/** Prints how many scratches a bot keeps of so many that were in use at the same time. */
fun keepScratches(path: String, times: Int) {
    Recognizer.open(path).use { recognizer ->
        val bot = Recognizer::class.java.getDeclaredField("bot").also { it.isAccessible = true }.get(recognizer)
        val type = bot.javaClass
        val give = type.getMethod("giveScratch", Long::class.javaPrimitiveType)
        val scratches = List(times) { type.getMethod("takeScratch").invoke(bot) }
        check(scratches.toSet().size == times)
        scratches.forEach { give.invoke(bot, it) }
        check(recognizer.match("lamp off").nearest == "off")
        println(json(type.getDeclaredField("numScratches").also { it.isAccessible = true }.get(bot)))
    }
}

/** Opens in each way, matches, edits now and then, and closes. */
fun openAndClose(path: String, times: Int) {
    val content = File(path).readBytes()
    val direct = ByteBuffer.allocateDirect(content.size).put(content)
    direct.flip()
    measureGrowth(times) { turn ->
        val recognizer =
            when (turn % 3) {
                0 -> Recognizer.open(path)
                1 -> Recognizer.open(content)
                else -> Recognizer.open(direct)
            }
        recognizer.use {
            check(it.match("lamp off").nearest == "off")
            if (turn % 100 < 3) it.addIntent("on", listOf("light"))
            if (turn % 100 < 6) check(it.match("lamp off").nearest == "off")
        }
    }
}

/** Opens and never closes; prints how many were open at once, and at the end. */
fun openAndForget(path: String, times: Int) {
    val content = File(path).readBytes()
    var most = 0
    repeat(times) { turn ->
        val recognizer = if (turn % 2 == 0) Recognizer.open(path) else Recognizer.open(content)
        check(recognizer.match("lamp off").nearest == "off")
        if (turn % 20 == 0) System.gc()
        most = maxOf(most, numOpen())
    }
    val end = System.nanoTime() + 20_000_000_000
    do {
        System.gc()
        Recognizer.open(path).close()
    } while (numOpen() > 0 && System.nanoTime() < end)
    println(json(mapOf("most" to most, "left" to numOpen(), "resident" to residentBytes())))
}

/** Recognisers that nothing holds but the match itself, while the collector runs. */
fun collectWhileMatching(path: String, seconds: Double) {
    val content = File(path).readBytes()
    val right = Recognizer.open(path).use { it.match(LONG_TEXT) }
    val end = System.nanoTime() + (seconds * 1e9).toLong()
    val numMatches = AtomicInteger()
    val wrong = AtomicInteger()
    val matchers =
        List(4) {
            thread {
                while (System.nanoTime() < end) {
                    val match =
                        when (it % 2) {
                            0 -> Recognizer.open(path).match(LONG_TEXT)
                            else -> Recognizer.open(ByteBuffer.allocateDirect(content.size).fill(content)).match(LONG_TEXT)
                        }
                    if (match != right) wrong.incrementAndGet()
                    numMatches.incrementAndGet()
                }
            }
        }
    while (System.nanoTime() < end) System.gc()
    matchers.forEach(Thread::join)
    println(json(mapOf("matches" to numMatches.get(), "wrong" to wrong.get())))
}

/** Long enough to be collected in. */
private val LONG_TEXT = "turn on the lamp please ".repeat(400)

private fun ByteBuffer.fill(content: ByteArray): ByteBuffer {
    put(content)
    flip()
    return this
}
