import CPocketIntent
import Foundation

extension Bot {
    /// Which part of a file is opened.
    enum Part {
        case bot
        /// The model alone, as a bot without intents.
        case model
    }

    static func open(_ part: Part, at url: URL) throws -> Bot {
        try withPath(of: url) { path in
            try make(nil) { bot, message in
                switch part {
                case .bot: return pintent_open(path, nil, bot, message)
                case .model: return pintent_open_model(path, nil, bot, message)
                }
            }
        }
    }

    static func open(_ part: Part, in data: Data) throws -> Bot {
        let content = Content(copying: data)
        return try withExtendedLifetime(content) {
            let (bytes, size) = (content.bytes.baseAddress, content.bytes.count)
            return try make(content) { bot, message in
                switch part {
                case .bot: return pintent_open_buffer(bytes, size, nil, bot, message)
                case .model: return pintent_open_model_buffer(bytes, size, nil, bot, message)
                }
            }
        }
    }

    func save(to url: URL) throws {
        try Bot.withPath(of: url) { path in
            var message = pintent_message()
            let status = withPointer { pintent_save($0, path, &message) }
            guard status == PINTENT_OK else { throw PocketIntentError(status, message) }
        }
    }

    func data() throws -> Data {
        try withPointer { pointer in
            try Bot.written(spare: 0) { bytes, capacity, size in
                pintent_save_buffer(pointer, bytes, capacity, size)
            }
        }
    }

    func templates() throws -> Data {
        try withPointer { pointer in
            try Bot.written(spare: 1) { bytes, capacity, length in
                let json = bytes?.assumingMemoryBound(to: CChar.self)
                return pintent_templates_json(pointer, json, capacity, length)
            }
        }
    }

    /// The bytes that a function of the core writes, which also says how many there are.
    ///
    /// - Parameters:
    ///   - spare: How many more the function needs room for.
    ///   - write: Calls it with room, the bytes of the room, and where it says how many there are.
    private static func written(
        spare: Int,
        _ write: (UnsafeMutableRawPointer?, Int, UnsafeMutablePointer<Int>) -> pintent_status
    ) throws -> Data {
        var size = 0
        let first = write(nil, 0, &size)
        guard first == PINTENT_ERROR_SIZE else { throw PocketIntentError(first) }
        var data = Data(count: size + spare)
        let status = data.withUnsafeMutableBytes { write($0.baseAddress, $0.count, &size) }
        guard status == PINTENT_OK else { throw PocketIntentError(status) }
        return data.prefix(size)
    }

    private static func withPath<Result>(
        of url: URL, _ body: (UnsafePointer<CChar>) throws -> Result
    ) throws -> Result {
        try url.withUnsafeFileSystemRepresentation { path in
            guard url.isFileURL, let path = path else {
                throw PocketIntentError.file("\(url.absoluteString): not the URL of a file")
            }
            return try body(path)
        }
    }
}
