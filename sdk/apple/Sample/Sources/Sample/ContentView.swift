#if canImport(SwiftUI)
import PocketIntent
import SwiftUI

/// A text and its match; and the intent that it should have had.
struct ContentView: View {
    let assistant: Assistant
    @State private var text = ""
    @State private var intent = ""
    @State private var message = ""
    @State private var isBusy = false

    var body: some View {
        Form {
            Section("Say something") {
                TextField("turn the lights on", text: $text)
                MatchView(match: assistant.match(text))
            }
            Section("What should it mean?") {
                TextField("lights_on", text: $intent)
                Button("Teach") { teach() }
                    .disabled(text.isEmpty || intent.isEmpty || isBusy)
                Text(message)
            }
        }
    }

    private func teach() {
        isBusy = true
        Task { @MainActor in
            do {
                try await assistant.teach(text, intent)
                message = "\(intent): \(text)"
                intent = ""
            } catch {
                message = error.localizedDescription
            }
            isBusy = false
        }
    }
}

struct MatchView: View {
    let match: Match

    var body: some View {
        if let intent = match.intent {
            Text("\(intent), \(Int(match.score * 100)) %")
        } else {
            Text("no intent: \(match.reason?.rawValue ?? "")")
        }
    }
}
#endif
