// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "PocketIntent",
    platforms: [.iOS(.v13), .macOS(.v11), .tvOS(.v13), .watchOS(.v6), .visionOS(.v1)],
    products: [.library(name: "PocketIntent", targets: ["PocketIntent"])],
    targets: [
        // The core in C, whose sources are those of sdk/native.
        .target(name: "CPocketIntent"),
        .target(
            name: "PocketIntent",
            dependencies: ["CPocketIntent"],
            resources: [.copy("PrivacyInfo.xcprivacy")]
        ),
        .testTarget(name: "PocketIntentTests", dependencies: ["PocketIntent"]),
    ]
)
