package io.pocketintent

/**
 * The functions of `src/main/c/pocketintent_jni.c`. Bots, scratches and copies are addresses; 0 is none.
 *
 * Consumer rules of R8 keep the name of this object and of its functions.
 */
internal object Native {
    init {
        NativeLibrary.load()
    }

    @JvmStatic external fun openFile(path: String, isModel: Boolean): Long

    @JvmStatic external fun openMemory(memory: Long, size: Long, isModel: Boolean): Long

    @JvmStatic external fun copy(data: ByteArray): Long

    @JvmStatic external fun release(memory: Long)

    @JvmStatic external fun addressOf(buffer: java.nio.ByteBuffer): Long

    @JvmStatic external fun close(bot: Long)

    @JvmStatic external fun newScratch(bot: Long): Long

    @JvmStatic external fun freeScratch(scratch: Long)

    @JvmStatic external fun match(bot: Long, scratch: Long, text: String): ByteArray

    @JvmStatic external fun rank(bot: Long, scratch: Long, text: String, limit: Int): ByteArray

    /** Null if the text is read as it is. */
    @JvmStatic external fun read(bot: Long, scratch: Long, text: String): ByteArray?

    @JvmStatic external fun encode(bot: Long, scratch: Long, text: String): FloatArray

    /** [texts] are the name, so many templates, and counter-examples. */
    @JvmStatic
    external fun addIntent(
        bot: Long,
        texts: Array<String>,
        numTemplates: Int,
        threshold: Double,
        hasThreshold: Boolean,
    ): Long

    @JvmStatic external fun removeIntent(bot: Long, name: String): Long

    @JvmStatic external fun setTemplates(bot: Long, json: String): Long

    @JvmStatic external fun save(bot: Long, path: String)

    @JvmStatic external fun bytes(bot: Long): ByteArray

    @JvmStatic external fun templates(bot: Long): ByteArray

    @JvmStatic external fun intents(bot: Long): ByteArray

    @JvmStatic external fun dim(bot: Long): Int

    @JvmStatic external fun kind(bot: Long): String

    @JvmStatic external fun version(): String

    /** What C throws: the exception for a `pintent_status`. */
    @JvmStatic
    fun failure(status: Int, message: ByteArray): Throwable {
        val text = String(message, Charsets.UTF_8)
        return when (status) {
            1 -> IllegalArgumentException(text)
            2 -> OutOfMemoryException(text)
            3 -> LoadException(text)
            4 -> ModelFileException(text)
            5 -> TemplateException(text)
            6 -> UnsupportedException(text)
            else -> PocketIntentException(text)
        }
    }
}
