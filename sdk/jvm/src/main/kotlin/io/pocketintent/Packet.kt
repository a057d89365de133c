package io.pocketintent

import java.nio.Buffer
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Reads the bytes that `packets.h` writes. */
internal class Packet(private val bytes: ByteArray) {
    private val numbers = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder())

    fun int(): Int = numbers.getInt()

    fun double(): Double = numbers.getDouble()

    fun text(): String? {
        val size = int()
        if (size < 0) return null
        val place: Buffer = numbers // whose `position` old Android has; that of ByteBuffer is newer
        val start = place.position()
        place.position(start + size)
        return String(bytes, start, size, Charsets.UTF_8)
    }

    fun texts(): List<String> = List(int()) { text().orEmpty() }

    fun candidate() = Candidate(score = double(), intent = text().orEmpty(), template = text().orEmpty())

    fun candidates(): List<Candidate> = List(int()) { candidate() }

    fun match(): Match {
        val reason = int()
        val hasRunnerUp = int() != 0
        val margin = double()
        val score = double()
        val nearest = text()
        return Match(
            intent = if (reason == 0) nearest else null,
            score = score,
            template = text(),
            nearest = nearest,
            runnerUp = if (hasRunnerUp) candidate() else null,
            margin = if (hasRunnerUp) margin else null,
            reason = if (reason == 0) null else REASONS[reason - 1],
        )
    }

    private companion object {
        /** In the order of `pintent_reason`. */
        val REASONS = Reason.values()
    }
}
