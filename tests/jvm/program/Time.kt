import io.pocketintent.Recognizer

/** Prints the least nanoseconds of a match of each line of stdin; the texts are asked in turn. */
fun timeMatches(path: String, rounds: Int) {
    val texts = generateSequence(::readlnOrNull).toList()
    val least = LongArray(texts.size) { Long.MAX_VALUE }
    Recognizer.open(path).use { recognizer ->
        repeat(rounds) {
            for (place in texts.indices) {
                val start = System.nanoTime()
                recognizer.match(texts[place])
                least[place] = minOf(least[place], System.nanoTime() - start)
            }
        }
    }
    println(json(least.toList()))
}
