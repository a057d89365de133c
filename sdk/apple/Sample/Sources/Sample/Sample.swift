import Foundation
import PocketIntent

/// The bot file of the bundle, and the folder of the app that lasts.
private func makeAssistant() throws -> Assistant {
    guard let bundled = Bundle.module.url(forResource: "bot", withExtension: "safetensors") else {
        throw CocoaError(.fileNoSuchFile)
    }
    let folder = try FileManager.default.url(
        for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    return try Assistant(
        bundled: bundled, folder: folder.appendingPathComponent("PocketIntentSample"))
}

#if canImport(SwiftUI)
import SwiftUI

@main
struct SampleApp: App {
    private let assistant = Result { try makeAssistant() }

    var body: some Scene {
        WindowGroup {
            switch assistant {
            case .success(let assistant): ContentView(assistant: assistant)
            case .failure(let error): Text(error.localizedDescription)
            }
        }
    }
}
#else
/// Where there is no SwiftUI, each line of stdin gets its match; `intent: text` teaches.
@main
struct SampleCommand {
    static func main() async throws {
        let assistant = try makeAssistant()
        while let line = readLine() {
            let parts = line.components(separatedBy: ": ")
            if parts.count == 2 {
                try await assistant.teach(parts[1], parts[0])
            } else {
                let match = assistant.match(line)
                print(match.intent ?? match.reason?.rawValue ?? "")
            }
        }
    }
}
#endif
