package io.pocketintent

import java.lang.ref.PhantomReference
import java.lang.ref.ReferenceQueue

/**
 * Ends the bot of a recogniser that was forgotten without `close`, when another one is opened after the
 * garbage collector has found it. (`java.lang.ref.Cleaner` is in Android from API 33 on.)
 */
internal class Net(recognizer: Recognizer, bot: Bot) : PhantomReference<Recognizer>(recognizer, forgotten) {
    /** The present bot; guarded by this object, as that of the recogniser. */
    var bot: Bot? = bot

    init {
        synchronized(nets) { nets.add(this) }
    }

    /** Retires the bot for good. */
    fun close() {
        synchronized(nets) { nets.remove(this) }
        synchronized(this) { bot.also { bot = null } }?.retire()
    }

    companion object {
        private val forgotten = ReferenceQueue<Recognizer>()

        /** A reference that is not reachable itself is never queued. */
        private val nets = HashSet<Net>()

        fun endForgotten() {
            while (true) (forgotten.poll() as Net? ?: return).close()
        }
    }
}
