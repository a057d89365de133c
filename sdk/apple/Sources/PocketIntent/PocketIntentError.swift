import CPocketIntent
import Foundation

/// What is wrong, in a sentence that says what to do.
public enum PocketIntentError: Error, Hashable, Sendable {
    /// The file is missing, or cannot be read or written.
    case file(String)
    /// Not a model or bot file, or a damaged or a too new one.
    case modelFile(String)
    /// Templates that break the format: docs/templates.md.
    case templates(String)
    /// A valid file, or a call, that the library cannot run.
    case unsupported(String)
    /// There is not enough memory.
    case outOfMemory(String)
}

extension PocketIntentError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .file(let message), .modelFile(let message), .templates(let message),
            .unsupported(let message), .outOfMemory(let message):
            return message
        }
    }
}

extension PocketIntentError {
    /// The error of a status that is not `PINTENT_OK`.
    init(_ status: pintent_status, _ message: pintent_message = pintent_message()) {
        var text = withUnsafeBytes(of: message.text) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if text.isEmpty {
            text = String(cString: pintent_status_text(status))
        }
        switch status {
        case PINTENT_ERROR_FILE: self = .file(text)
        case PINTENT_ERROR_MODEL: self = .modelFile(text)
        case PINTENT_ERROR_TEMPLATES: self = .templates(text)
        case PINTENT_ERROR_MEMORY: self = .outOfMemory(text)
        default: self = .unsupported(text)
        }
    }
}
