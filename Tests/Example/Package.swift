// swift-tools-version: 6.2
import PackageDescription

// A package of its own, built against the product as a user would.
let package = Package(
    name: "vault",
    dependencies: [.package(name: "bioauthd", path: "../..")],
    targets: [
        .executableTarget(
            name: "vault", dependencies: [.product(name: "LocalAuthentication", package: "bioauthd")])
    ],
    swiftLanguageModes: [.v6]
)
