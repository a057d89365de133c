import CPocketIntent

extension String {
    /// A copy of a text of the core; nil where it is none.
    init?(core text: pintent_text) {
        guard let data = text.data else { return nil }
        let bytes = UnsafeRawBufferPointer(start: data, count: text.size)
        self.init(decoding: bytes, as: UTF8.self)
    }

    /// Calls `body` with the string in UTF-8, which lasts until `body` returns.
    func withCoreText<Result>(_ body: (pintent_text) throws -> Result) rethrows -> Result {
        var text = self
        return try text.withUTF8 { utf8 in
            let bytes = UnsafeRawPointer(utf8.baseAddress)?.assumingMemoryBound(to: CChar.self)
            return try body(pintent_text(data: bytes, size: utf8.count))
        }
    }
}

/// Calls `body` with strings in UTF-8, which last until `body` returns.
func withCoreTexts<Result>(
    _ strings: [String], _ body: (UnsafeBufferPointer<pintent_text>) throws -> Result
) rethrows -> Result {
    var utf8 = [UInt8]()
    var ends = [Int]()
    for string in strings {
        utf8.append(contentsOf: string.utf8)
        ends.append(utf8.count)
    }
    utf8.append(0)  // so that there is memory, even of empty strings
    return try utf8.withUnsafeBytes { bytes in
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        var texts = [pintent_text]()
        var from = 0
        for end in ends {
            texts.append(pintent_text(data: start.map { $0 + from }, size: end - from))
            from = end
        }
        return try texts.withUnsafeBufferPointer(body)
    }
}
