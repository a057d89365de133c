// The program that the tests of the Kotlin library run: java -cp … MainKt COMMAND ARGUMENT …

import io.pocketintent.Recognizer

fun main(arguments: Array<String>) {
    val rest = arguments.drop(1)
    when (arguments[0]) {
        "answer" -> answerLines()
        "threads" -> readBesideEdits(rest[0], numThreads = 16)
        "close" -> openAndClose(rest[0], times = rest[1].toInt())
        "forget" -> openAndForget(rest[0], times = rest[1].toInt())
        "scratches" -> keepScratches(rest[0], times = rest[1].toInt())
        "collect" -> collectWhileMatching(rest[0], seconds = rest[1].toDouble())
        "closing" -> closeWhileMatching(rest[0])
        "time" -> timeMatches(rest[0], rounds = rest[1].toInt())
        "suspend" -> useCoroutines(rest[0])
        "java" -> UseFromJava.main(arrayOf(rest[0], rest[1]))
        "version" -> println(json(Recognizer.version))
        else -> error("no such command: ${arguments[0]}")
    }
}
