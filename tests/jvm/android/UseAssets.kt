import android.content.res.AssetManager
import io.pocketintent.LoadException
import io.pocketintent.Recognizer
import io.pocketintent.fromTemplates
import io.pocketintent.open
import java.io.File
import java.io.FileNotFoundException

/** Opens the assets of a folder: a bot file that is stored, one that is compressed, and a model. */
fun main(arguments: Array<String>) {
    val assets = AssetManager(File(arguments[0]))
    for (name in listOf("bot.safetensors.stored", "bot.safetensors")) {
        Recognizer.open(assets, name).use { check(it.match("lamp off").nearest == "off") }
        Recognizer.fromTemplates(assets, name, """{"food": ["lamp off"]}""").use {
            check(it.match("lamp off").intent == "food")
        }
    }
    val error = runCatching { Recognizer.open(assets, "missing") }.exceptionOrNull()
    check(error is LoadException && error.cause is FileNotFoundException)
    println("\"done\"")
}
