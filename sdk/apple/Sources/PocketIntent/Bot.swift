import CPocketIntent
import Foundation

/// The content of a bot file in memory that stays where it is.
final class Content {
    let bytes: UnsafeMutableRawBufferPointer

    /// Tensors are read in place, since the start is aligned as that of a file in memory.
    init(copying data: Data) {
        bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 64)
        data.withUnsafeBytes { bytes.copyMemory(from: $0) }
    }

    deinit {
        bytes.deallocate()
    }
}

/// An open bot, which never changes, and the scratches of its matches, one for each at a time.
///
/// It ends with the last match that uses it, some time after an edit has put another in its place.
final class Bot: @unchecked Sendable {
    private let pointer: OpaquePointer
    /// What the bot reads, and the bots that edits make of it; nil of a file.
    let content: Content?
    /// Guards `idle`; signalled when a scratch is given back.
    private let scratches = NSCondition()
    private var idle: [OpaquePointer]

    private static let cacheBytes = 4 << 20  // PINTENT_DEFAULT_CACHE
    private static let mostIdle = max(1, ProcessInfo.processInfo.activeProcessorCount)

    private init(_ pointer: OpaquePointer, _ content: Content?, scratch: OpaquePointer) {
        self.pointer = pointer
        self.content = content
        idle = [scratch]
    }

    deinit {
        for scratch in idle {
            pintent_scratch_free(scratch)
        }
        pintent_close(pointer)
    }

    /// The bot that a call of the core makes, with a first scratch: a match needs no more memory.
    static func make(
        _ content: Content?,
        _ call: (
            UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<pintent_message>
        ) -> pintent_status
    ) throws -> Bot {
        var made: OpaquePointer?
        var message = pintent_message()
        let status = call(&made, &message)
        guard status == PINTENT_OK, let pointer = made else {
            throw PocketIntentError(status, message)
        }
        var first: OpaquePointer?
        let second = pintent_scratch_new(pointer, cacheBytes, &first)
        guard second == PINTENT_OK, let scratch = first else {
            pintent_close(pointer)
            throw PocketIntentError(second)
        }
        return Bot(pointer, content, scratch: scratch)
    }

    /// Calls `body` with the core's bot, which stays open until it returns.
    func withPointer<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) { try body(pointer) }
    }

    /// Calls `body` with the core's bot, and a scratch that no other call uses meanwhile.
    func withScratch<Result>(_ body: (OpaquePointer, OpaquePointer) -> Result) -> Result {
        withPointer { pointer in
            let scratch = takeScratch()
            defer { giveBack(scratch) }
            return body(pointer, scratch)
        }
    }

    private func takeScratch() -> OpaquePointer {
        scratches.lock()
        let waiting = idle.popLast()
        scratches.unlock()
        if let scratch = waiting {
            return scratch
        }
        var made: OpaquePointer?
        if pintent_scratch_new(pointer, Bot.cacheBytes, &made) == PINTENT_OK, let scratch = made {
            return scratch
        }
        // There is no memory for another. One at least is in use, and comes back.
        scratches.lock()
        defer { scratches.unlock() }
        while true {
            if let scratch = idle.popLast() {
                return scratch
            }
            scratches.wait()
        }
    }

    private func giveBack(_ scratch: OpaquePointer) {
        scratches.lock()
        let isKept = idle.count < Bot.mostIdle
        if isKept {
            idle.append(scratch)
            scratches.signal()
        }
        scratches.unlock()
        if !isKept {
            pintent_scratch_free(scratch)
        }
    }
}
