@file:JvmName("AndroidAssets")

package io.pocketintent

import android.content.res.AssetManager
import java.io.FileInputStream
import java.io.FileNotFoundException
import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.FileChannel

/**
 * Opens a bot file of the app's assets. With `androidResources { noCompress += "safetensors" }` it is
 * mapped; otherwise it is unpacked into memory.
 */
@Throws(PocketIntentException::class)
fun Recognizer.Companion.open(assets: AssetManager, name: String): Recognizer =
    mapped(assets, name)?.let { open(it) } ?: open(unpacked(assets, name))

/** A bot of a model file of the app's assets and of templates. */
@Throws(PocketIntentException::class)
fun Recognizer.Companion.fromTemplates(assets: AssetManager, name: String, json: String): Recognizer =
    mapped(assets, name)?.let { fromTemplates(it, json) } ?: fromTemplates(unpacked(assets, name), json)

/** Null if the asset is compressed, or missing. */
private fun mapped(assets: AssetManager, name: String): ByteBuffer? =
    try {
        assets.openFd(name).use { asset ->
            val channel = FileInputStream(asset.fileDescriptor).channel
            channel.map(FileChannel.MapMode.READ_ONLY, asset.startOffset, asset.declaredLength)
        }
    } catch (_: FileNotFoundException) {
        null
    }

private fun unpacked(assets: AssetManager, name: String): ByteArray =
    try {
        assets.open(name).use { it.readBytes() }
    } catch (error: IOException) {
        throw LoadException("asset $name: ${error.message}", error)
    }
