package io.pocketintent

/** What went wrong. The message says what is wrong, and what to do. */
open class PocketIntentException
@JvmOverloads
constructor(message: String, cause: Throwable? = null) : RuntimeException(message, cause)

/** A file could not be read or written: there is no such file, or it is none. */
class LoadException
@JvmOverloads
constructor(message: String, cause: Throwable? = null) : PocketIntentException(message, cause)

/** Not a model or bot file, or a damaged or a too new one. */
class ModelFileException(message: String) : PocketIntentException(message)

/** Templates that break the format: docs/templates.md. */
class TemplateException(message: String) : PocketIntentException(message)

/** A valid file, or a call, that the core cannot run. */
class UnsupportedException(message: String) : PocketIntentException(message)

/** There is not enough memory. */
class OutOfMemoryException(message: String) : PocketIntentException(message)

/** The recogniser was closed. */
class ClosedException : PocketIntentException("the recogniser was closed")
