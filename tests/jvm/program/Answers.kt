import io.pocketintent.Recognizer
import java.nio.ByteBuffer
import java.io.File
import java.io.RandomAccessFile
import java.nio.channels.FileChannel

/**
 * Does what each line of stdin says, and prints the answer as a line of JSON, or the error.
 *
 * A line is a word and texts, separated by tabs; a text is the digits of its units of UTF-16.
 */
fun answerLines() {
    val answers = Answers()
    for (line in generateSequence(::readlnOrNull)) {
        val words = line.split('\t')
        val answer =
            try {
                answers.of(words[0], words.drop(1).map(::decode))
            } catch (error: RuntimeException) {
                mapOf("error" to error.javaClass.simpleName, "message" to error.message)
            }
        println(json(answer))
    }
}

private fun decode(digits: String): String =
    digits.chunked(4) { it.toString().toInt(16).toChar() }.joinToString("")

private class Answers {
    private var recognizer: Recognizer? = null
    private val current
        get() = checkNotNull(recognizer)

    fun of(word: String, texts: List<String>): Any? =
        when (word) {
            "open" -> use(Recognizer.open(texts[0]))
            "open_file" -> use(Recognizer.open(File(texts[0])))
            "open_array" -> use(Recognizer.open(File(texts[0]).readBytes()))
            "open_buffer" -> use(Recognizer.open(ByteBuffer.wrap(File(texts[0]).readBytes())))
            "open_part" -> use(Recognizer.open(part(texts[0])))
            "open_mapped" -> use(Recognizer.open(map(texts[0])))
            "from_templates" -> use(Recognizer.fromTemplates(texts[0], texts[1]))
            "from_array" -> use(Recognizer.fromTemplates(File(texts[0]).readBytes(), texts[1]))
            "from_mapped" -> use(Recognizer.fromTemplates(map(texts[0]), texts[1]))
            "ask" -> ask(texts[0])
            "match" -> current.match(texts[0])
            "rank" -> current.rank(texts[0], texts[1].toInt())
            "read" -> current.read(texts[0])
            "same" -> current.read(texts[0]) === texts[0]
            "encode" -> current.encode(texts[0])
            "facts" -> mapOf("kind" to current.kind, "dim" to current.dim, "intents" to current.intents)
            "templates" -> current.templates
            "add" -> add(texts)
            "remove" -> current.removeIntent(texts[0]).let { null }
            "set" -> current.setTemplates(texts[0]).let { null }
            "save" -> current.save(texts[0]).let { null }
            "save_file" -> current.save(File(texts[0])).let { null }
            "save_bytes" -> File(texts[0]).writeBytes(current.bytes()).let { null }
            "close" -> current.close().let { null }
            else -> error("no such word: $word")
        }

    private fun use(opened: Recognizer): Any? {
        recognizer?.close()
        recognizer = opened
        return null
    }

    private fun ask(text: String) =
        mapOf(
            "match" to current.match(text),
            "rank" to current.rank(text, 3),
            "read" to current.read(text),
        )

    /** A name, a threshold or nothing, the number of templates, and the texts. */
    private fun add(texts: List<String>): Any? {
        val given = texts.drop(3)
        val count = texts[2].toInt()
        current.addIntent(texts[0], given.take(count), given.drop(count), texts[1].toDoubleOrNull())
        return null
    }

    private fun map(path: String): ByteBuffer =
        RandomAccessFile(path, "r").use {
            it.channel.map(FileChannel.MapMode.READ_ONLY, 0, it.length())
        }

    /** The content in the middle of a direct buffer, at an odd place. */
    private fun part(path: String): ByteBuffer {
        val content = File(path).readBytes()
        val buffer = ByteBuffer.allocateDirect(content.size + 10)
        buffer.position(3)
        buffer.put(content)
        buffer.limit(buffer.position()).position(3)
        return buffer
    }
}
