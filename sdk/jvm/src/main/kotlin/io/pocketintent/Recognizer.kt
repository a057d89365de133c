package io.pocketintent

import java.io.File
import java.nio.ByteBuffer

/**
 * Recognises the intents of texts, with a bot file or with templates and a model.
 *
 * ```
 * Recognizer.open("my_bot.safetensors").use { println(it.match("lamp off").intent) }
 * ```
 *
 * Any number of threads may use one recogniser at the same time. An edit makes another bot and then
 * puts it in the place of the old one: other threads go on with the old one until then, and no match
 * sees half an edit. Half of a surrogate pair separates words in texts, and is refused in templates.
 *
 * After [close] every call throws [ClosedException]; matches that had begun end as usual.
 */
class Recognizer private constructor(bot: Bot) : AutoCloseable {
    @Volatile private var bot: Bot? = bot
    private val net = Net(this, bot)
    private val editing = Any()

    /** The intent of a text. */
    @Throws(PocketIntentException::class)
    fun match(text: String): Match =
        Packet(withScratch { bot, scratch -> Native.match(bot, scratch, text) }).match()

    /** At most [limit] intents of a text from the best on, whatever the thresholds. */
    @JvmOverloads
    @Throws(PocketIntentException::class)
    fun rank(text: String, limit: Int = 5): List<Candidate> {
        require(limit >= 1) { "the limit is $limit, at least 1 is needed" }
        return Packet(withScratch { bot, scratch -> Native.rank(bot, scratch, text, limit) })
            .candidates()
    }

    /** The text as it is matched: itself, or its tokens with their typing errors corrected. */
    @Throws(PocketIntentException::class)
    fun read(text: String): String =
        withScratch { bot, scratch -> Native.read(bot, scratch, text) }?.let { String(it, Charsets.UTF_8) }
            ?: text

    /**
     * The sentence vector of a text, not corrected: unit length, or zeros if the model knows nothing in
     * it.
     */
    @Throws(PocketIntentException::class)
    fun encode(text: String): FloatArray =
        withScratch { bot, scratch -> Native.encode(bot, scratch, text) }

    /** Names of the intents in the order of the template set. */
    val intents: List<String>
        @Throws(PocketIntentException::class) get() = Packet(withBot(Native::intents)).texts()

    /** The template set as JSON, in the long form of docs/templates.md. */
    val templates: String
        @Throws(PocketIntentException::class) get() = String(withBot(Native::templates), Charsets.UTF_8)

    /** The kind of the model, such as `transformer`. */
    val kind: String
        @Throws(PocketIntentException::class) get() = withBot(Native::kind)

    /** Dimensions of a sentence vector. */
    val dim: Int
        @Throws(PocketIntentException::class) get() = withBot(Native::dim)

    /**
     * Adds an intent, or gives an intent more.
     *
     * @param templates texts that express it; at least one for a new intent
     * @param except counter-examples: texts that resemble it and do not express it
     * @param threshold from which score on it is accepted, -1..1; null keeps that of the intent or set
     */
    @JvmOverloads
    @Throws(PocketIntentException::class)
    fun addIntent(
        name: String,
        templates: Collection<String>,
        except: Collection<String> = emptyList(),
        threshold: Double? = null,
    ) {
        // Copies, since others may change the collections meanwhile. Java has null in them, too.
        val given = templates.map { requireNotNull(it) { "a template is null" } }
        val excepted = except.map { requireNotNull(it) { "a counter-example is null" } }
        val texts = (listOf(name) + given + excepted).toTypedArray()
        edit { Native.addIntent(it, texts, given.size, threshold ?: 0.0, threshold != null) }
    }

    /** Removes an intent with its texts. */
    @Throws(PocketIntentException::class)
    fun removeIntent(name: String) = edit { Native.removeIntent(it, name) }

    /** Replaces the template set by another: JSON in any form of docs/templates.md. */
    @Throws(PocketIntentException::class)
    fun setTemplates(json: String) = edit { Native.setTemplates(it, json) }

    /** Saves a bot file. It appears whole: an old one stays as it is until then, and after an error. */
    @Throws(PocketIntentException::class)
    fun save(path: String) = withBot { Native.save(it, checked(path)) }

    /** Saves a bot file. */
    @Throws(PocketIntentException::class)
    fun save(file: File) = save(file.path)

    /** The content of the bot file. */
    @Throws(PocketIntentException::class)
    fun bytes(): ByteArray = withBot(Native::bytes)

    /** Gives the memory back, at the end of the matches that have begun. May be called more than once. */
    override fun close() {
        synchronized(net) { bot = null }
        net.close()
    }

    /** Calls with the present bot and a scratch of it. */
    private inline fun <T> withScratch(call: (bot: Long, scratch: Long) -> T): T {
        while (true) {
            val bot = bot ?: throw ClosedException()
            val scratch = bot.takeScratch()
            if (scratch == 0L) continue // an edit has put another in its place
            try {
                return call(bot.address, scratch)
            } finally {
                bot.giveScratch(scratch)
            }
        }
    }

    private inline fun <T> withBot(call: (bot: Long) -> T): T {
        while (true) {
            val bot = bot ?: throw ClosedException()
            if (!bot.enter()) continue
            try {
                return call(bot.address)
            } finally {
                bot.leave()
            }
        }
    }

    /** Puts what `make` makes of the present bot in its place. Edits wait for each other. */
    private inline fun edit(make: (bot: Long) -> Long) {
        synchronized(editing) {
            val old = bot ?: throw ClosedException()
            val next = withBot { Bot(make(it), old.memory) }
            val isOpen =
                synchronized(net) {
                    // A close may have come between.
                    (bot === old).also {
                        if (it) {
                            net.bot = next
                            bot = next
                        }
                    }
                }
            (if (isOpen) old else next).retire()
            if (!isOpen) throw ClosedException()
        }
    }

    companion object {
        /** Opens a bot file, made by `pocketintent build`. */
        @JvmStatic
        @Throws(PocketIntentException::class)
        fun open(path: String): Recognizer = of(openFile(path, isModel = false))

        /** Opens a bot file. */
        @JvmStatic
        @Throws(PocketIntentException::class)
        fun open(file: File): Recognizer = open(file.path)

        /** Opens the content of a bot file, of which it keeps a copy. */
        @JvmStatic
        @Throws(PocketIntentException::class)
        fun open(data: ByteArray): Recognizer = of(openMemory(Memory.of(data), isModel = false))

        /**
         * Opens the content of a bot file, from the buffer's position to its limit. A direct buffer, such
         * as a mapped file, is not copied, and must stay as it is.
         */
        @JvmStatic
        @Throws(PocketIntentException::class)
        fun open(data: ByteBuffer): Recognizer = of(openMemory(Memory.of(data), isModel = false))

        /** A bot of a model, or of the model of a bot file, and of templates: JSON of docs/templates.md. */
        @JvmStatic
        @Throws(PocketIntentException::class)
        fun fromTemplates(model: String, json: String): Recognizer =
            of(openFile(model, isModel = true), json)

        /** A bot of a model file and of templates. */
        @JvmStatic
        @Throws(PocketIntentException::class)
        fun fromTemplates(model: File, json: String): Recognizer = fromTemplates(model.path, json)

        /** A bot of the content of a model file, of which it keeps a copy, and of templates. */
        @JvmStatic
        @Throws(PocketIntentException::class)
        fun fromTemplates(model: ByteArray, json: String): Recognizer =
            of(openMemory(Memory.of(model), isModel = true), json)

        /** A bot of the content of a model file, as [open] takes it, and of templates. */
        @JvmStatic
        @Throws(PocketIntentException::class)
        fun fromTemplates(model: ByteBuffer, json: String): Recognizer =
            of(openMemory(Memory.of(model), isModel = true), json)

        /** The version of the core. */
        @JvmStatic
        val version: String
            get() = Native.version()

        private fun openFile(path: String, isModel: Boolean): Bot =
            Bot(Native.openFile(checked(path), isModel), null)

        private fun openMemory(memory: Memory, isModel: Boolean): Bot {
            memory.retain()
            try {
                return Bot(Native.openMemory(memory.address, memory.size, isModel), memory)
            } finally {
                memory.release()
            }
        }

        private fun of(bot: Bot): Recognizer {
            Net.endForgotten()
            return Recognizer(bot)
        }

        private fun of(model: Bot, json: String): Recognizer =
            try {
                of(Bot(Native.setTemplates(model.address, json), model.memory))
            } finally {
                model.retire()
            }

        private fun checked(path: String): String =
            if ('\u0000' in path) throw LoadException("a path has no NUL") else path
    }
}
