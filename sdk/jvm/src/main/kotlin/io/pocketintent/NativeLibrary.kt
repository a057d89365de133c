package io.pocketintent

import java.io.File

/** Finds `libpocketintent_jni` and loads it. */
internal object NativeLibrary {
    private const val NAME = "pocketintent_jni"

    /**
     * From `java.library.path`, which on Android is the app's folder for its ABI; otherwise from the
     * resources of this jar.
     */
    fun load() {
        try {
            System.loadLibrary(NAME)
        } catch (error: UnsatisfiedLinkError) {
            if (!loadResource()) {
                throw UnsatisfiedLinkError("no $NAME for ${platform()}: ${error.message}")
            }
        }
    }

    /** The folder of a desktop system and its processor, such as `linux-x86_64`. */
    private fun platform(): String {
        val system = System.getProperty("os.name").orEmpty().lowercase()
        val processor = System.getProperty("os.arch").orEmpty().lowercase()
        val name =
            when {
                system.startsWith("mac") -> "macos"
                system.startsWith("windows") -> "windows"
                else -> system
            }
        return "$name-" +
            when (processor) {
                "amd64", "x86_64" -> "x86_64"
                "arm64", "aarch64" -> "aarch64"
                else -> processor
            }
    }

    /** Unpacks the library into a temporary file. False if there is none for this platform. */
    private fun loadResource(): Boolean {
        val name = System.mapLibraryName(NAME)
        val resource = "native/${platform()}/$name"
        val content = Native::class.java.getResourceAsStream(resource) ?: return false
        val file = File.createTempFile("pocketintent", name)
        try {
            content.use { input -> file.outputStream().use { input.copyTo(it) } }
            System.load(file.path)
        } finally {
            // A loaded library stays, but on Windows, where its file cannot be deleted before the end.
            if (!file.delete()) file.deleteOnExit()
        }
        return true
    }
}
