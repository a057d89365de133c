import CPocketIntent
import Foundation

/// Each makes another bot, and leaves this one as it is.
extension Bot {
    func adding(
        _ name: String, templates: [String], except: [String], threshold: Double?
    ) throws -> Bot {
        try withCoreTexts([name] + templates + except) { texts in
            var addition = pintent_addition()
            addition.name = texts[0]
            addition.templates = texts.baseAddress.map { $0 + 1 }
            addition.num_templates = templates.count
            addition.counter_examples = texts.baseAddress.map { $0 + 1 + templates.count }
            addition.num_counter_examples = except.count
            addition.threshold = threshold ?? 0
            addition.has_threshold = threshold == nil ? 0 : 1
            return try edited { pintent_add_intent($0, &addition, $1, $2) }
        }
    }

    func removing(_ name: String) throws -> Bot {
        try name.withCoreText { text in
            try edited { pintent_remove_intent($0, text.data, text.size, $1, $2) }
        }
    }

    func settingTemplates(json: Data) throws -> Bot {
        var bytes = [UInt8](json)
        bytes.append(0)  // so that there is memory, even of no JSON
        return try bytes.withUnsafeBytes { bytes in
            let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            return try edited { pintent_set_templates($0, text, json.count, $1, $2) }
        }
    }

    private func edited(
        _ edit: (
            OpaquePointer, UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<pintent_message>
        ) -> pintent_status
    ) throws -> Bot {
        try withPointer { pointer in
            try Bot.make(content) { edited, message in edit(pointer, edited, message) }
        }
    }
}
