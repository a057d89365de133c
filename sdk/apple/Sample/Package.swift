// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "Sample",
    platforms: [.iOS(.v15), .macOS(.v12)],
    dependencies: [.package(name: "PocketIntent", path: "..")],
    targets: [
        .executableTarget(
            name: "Sample",
            dependencies: ["PocketIntent"],
            resources: [.copy("bot.safetensors")]
        )
    ]
)
