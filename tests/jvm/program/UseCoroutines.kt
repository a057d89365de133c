import io.pocketintent.ClosedException
import io.pocketintent.Recognizer
import io.pocketintent.addIntentInBackground
import io.pocketintent.matchInBackground
import io.pocketintent.openInBackground
import io.pocketintent.removeIntentInBackground
import io.pocketintent.saveInBackground
import io.pocketintent.setTemplatesInBackground
import java.io.File
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield

/** Calls each function that suspends. */
fun useCoroutines(path: String) = runBlocking {
    val recognizer = Recognizer.openInBackground(path)
    val matches = List(20) { async { recognizer.matchInBackground("lamp off") } }
    check(matches.all { it.await() == recognizer.match("lamp off") })
    recognizer.addIntentInBackground("jazz", listOf("play some jazz"))
    check("jazz" in recognizer.intents)
    recognizer.removeIntentInBackground("jazz")
    check("jazz" !in recognizer.intents)
    recognizer.setTemplatesInBackground("""{"food": ["pizza please"]}""")
    check(recognizer.intents == listOf("food"))
    recognizer.saveInBackground("$path.saved")
    check(File("$path.saved").readBytes().contentEquals(recognizer.bytes()))
    recognizer.close()
    check(runCatching { recognizer.matchInBackground("lamp") }.exceptionOrNull() is ClosedException)
    repeat(200) {
        val opening = launch { Recognizer.openInBackground(path).close() }
        repeat(it % 3) { yield() }
        opening.cancelAndJoin()
    }
    val cancelled = async { Recognizer.openInBackground(path) }
    cancelled.cancel()
    check(runCatching { cancelled.await() }.exceptionOrNull() is CancellationException)
    check(numOpen() == 0) { "${numOpen()} recognisers are open" }
    println(json("done"))
}
