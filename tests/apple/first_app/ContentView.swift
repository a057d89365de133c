import PocketIntent
import SwiftUI

private let recognizer: Recognizer = {
    let url = Bundle.main.url(forResource: "my_bot", withExtension: "safetensors")!
    return try! Recognizer(contentsOf: url)  // a file of the app's own
}()

struct ContentView: View {
    @State private var text = ""

    var body: some View {
        VStack {
            TextField("turn the lights on", text: $text)
            Text(recognizer.match(text).intent ?? "no intent")
        }
        .padding()
    }
}
