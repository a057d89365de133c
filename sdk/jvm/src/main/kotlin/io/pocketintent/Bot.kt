package io.pocketintent

import java.nio.ByteBuffer

/** The content of a bot file in memory, which all bots that were edited from it use. */
internal class Memory
private constructor(val address: Long, val size: Long, private val buffer: ByteBuffer?) {
    private var numBots = 0

    @Synchronized
    fun retain() {
        numBots++
    }

    @Synchronized
    fun release() {
        if (--numBots == 0 && buffer == null) Native.release(address)
    }

    companion object {
        /** A copy of an array, which ends with its last bot. */
        fun of(data: ByteArray) = Memory(Native.copy(data), data.size.toLong(), null)

        /** The rest of a buffer, which is used where it is if it is direct. */
        fun of(buffer: ByteBuffer): Memory {
            val rest = buffer.slice()
            val address = if (rest.isDirect) Native.addressOf(rest) else 0L
            if (address != 0L) return Memory(address, rest.remaining().toLong(), rest)
            return of(ByteArray(rest.remaining()).also { rest.get(it) })
        }
    }
}

/**
 * A bot of the core with its scratches: as many as there are matches at the same time, of which it keeps
 * no more than can run at the same time.
 *
 * It ends when it is retired and its last user has left. Until then its address may be used between
 * [enter] and [leave], and between [takeScratch] and [giveScratch].
 */
internal class Bot(val address: Long, val memory: Memory?) {
    private val scratches = LongArray(NUM_PROCESSORS)
    private var numScratches = 0
    private var numUsers = 0
    private var isRetired = false

    init {
        memory?.retain()
    }

    /** Begins a use. False if the bot is retired. */
    @Synchronized
    fun enter(): Boolean {
        if (!isRetired) numUsers++
        return !isRetired
    }

    fun leave() {
        val isLast = synchronized(this) { --numUsers == 0 && isRetired }
        if (isLast) end()
    }

    /** Begins a use with a scratch that nobody else has. 0 if the bot is retired. */
    fun takeScratch(): Long {
        synchronized(this) {
            if (isRetired) return 0L
            numUsers++
            if (numScratches > 0) return scratches[--numScratches]
        }
        try {
            return Native.newScratch(address)
        } catch (error: Throwable) {
            leave()
            throw error
        }
    }

    fun giveScratch(scratch: Long) {
        val isKept =
            synchronized(this) {
                (numScratches < scratches.size).also { if (it) scratches[numScratches++] = scratch }
            }
        if (!isKept) Native.freeScratch(scratch)
        leave()
    }

    /** Nobody may begin a use any more. */
    fun retire() {
        val isLast = synchronized(this) { !isRetired.also { isRetired = true } && numUsers == 0 }
        if (isLast) end()
    }

    private fun end() {
        for (n in 0 until numScratches) Native.freeScratch(scratches[n])
        Native.close(address)
        memory?.release()
    }

    private companion object {
        val NUM_PROCESSORS = Runtime.getRuntime().availableProcessors()
    }
}
