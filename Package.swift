// swift-tools-version: 6.2
import PackageDescription

let pure: [SwiftSetting] = [.strictMemorySafety()]

let package = Package(
    name: "bioauthd",
    products: [
        .library(name: "LocalAuthentication", targets: ["LocalAuthentication"]),
        .executable(name: "bioauthd", targets: ["bioauthd"]),
        .executable(name: "bioauthctl", targets: ["bioauthctl"]),
        .executable(name: "bioauth-password", targets: ["bioauth-password"]),
    ],
    targets: [
        // Decisions and messages: values only.
        .target(name: "BioauthCore", swiftSettings: pure),
        .target(name: "BioauthWire", dependencies: ["BioauthCore"], exclude: ["PROTOCOL.md"], swiftSettings: pure),

        // What PAM does by its files: values only.
        .target(name: "PAMStacks", swiftSettings: pure),

        .target(
            name: "Diagnosis", dependencies: ["BioauthCore", "BioauthWire", "PAMStacks"], swiftSettings: pure),

        // The operating system and the reader.
        .target(name: "BioauthSystem", dependencies: ["CLinux", "CSystemd", "CGLib"]),
        .target(name: "PAMSetup", dependencies: ["PAMStacks", "BioauthSystem"]),
        .target(name: "FingerprintReader", dependencies: ["BioauthCore", "CGLib", "CFprint", "CGUsb"]),

        // The daemon, its clients, and the password's own process.
        .target(name: "BioauthDaemon", dependencies: ["BioauthCore", "BioauthWire", "BioauthSystem"]),
        .target(name: "BioauthClient", dependencies: ["BioauthCore", "BioauthWire", "BioauthSystem"]),

        // Apple's names for it. What it is made of shows nowhere: imports are internal where they don't say otherwise.
        .target(
            name: "LocalAuthentication",
            dependencies: ["BioauthClient", "BioauthWire", "BioauthCore", "BioauthSystem"],
            swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")]),

        .executableTarget(
            name: "bioauthd", dependencies: ["BioauthCore", "BioauthDaemon", "BioauthSystem", "FingerprintReader"],
            exclude: ["bioauthd.conf", "bioauthd.conf.5", "bioauthd.8"]),
        .executableTarget(
            name: "bioauthctl",
            dependencies: [
                "BioauthCore", "BioauthWire", "BioauthClient", "BioauthDaemon", "BioauthSystem", "PAMStacks",
                "PAMSetup", "Diagnosis",
            ],
            exclude: ["bioauthctl.1", "bioauthctl.bash", "_bioauthctl"]),
        .executableTarget(
            name: "bioauth-password",
            dependencies: ["BioauthCore", "BioauthWire", "BioauthSystem", "PAMStacks", "CLinux", "CPam"],
            exclude: ["bioauth-password.8"]),

        // Fingers for the demo, the tests and the benchmarks; never installed.
        .target(name: "SyntheticFingers", swiftSettings: [.strictMemorySafety(), .unsafeFlags(["-O"])]),
        .executableTarget(name: "bioauth-finger", dependencies: ["SyntheticFingers"]),

        // C, as thin as it can be.
        .target(name: "CLinux"),
        .target(name: "CModuleWire", path: "pam", sources: ["wire.c"], publicHeadersPath: "."),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd"),
        .systemLibrary(name: "CGLib", pkgConfig: "gio-2.0"),
        .systemLibrary(name: "CFprint", pkgConfig: "libfprint-2"),
        .systemLibrary(name: "CGUsb", pkgConfig: "gusb"),
        .systemLibrary(name: "CPam"),

        .executableTarget(
            name: "bioauth-bench",
            dependencies: [
                "TestSupport", "LocalAuthentication", "BioauthClient", "BioauthWire", "BioauthCore", "SyntheticFingers",
                "CFprint", "CGLib",
            ],
            path: "Tests/Bench", exclude: ["native", "prepare.sh"]),

        // A program that asks for a finger, for the tests.
        .executableTarget(
            name: "bioauth-evaluate", dependencies: ["LocalAuthentication", "BioauthSystem"], path: "Tests/Evaluate"),

        // USB, as umockdev plays it to another process.
        .executableTarget(name: "bioauth-usb", dependencies: ["TestSupport"], path: "Tests/PlayedUSB"),

        // Months of events, played to the real daemon.
        .executableTarget(
            name: "bioauth-soak",
            dependencies: [
                "TestSupport", "Month", "BioauthClient", "BioauthWire", "BioauthCore", "SyntheticFingers", "bioauthd",
            ],
            path: "Tests/Soak", exclude: ["clock.c"]),

        // The package in a whole system.
        .executableTarget(
            name: "bioauth-system-test", dependencies: ["TestSupport", "SyntheticFingers"], path: "Tests/System",
            exclude: ["run.sh", "etc", "virtual-reader.c"]),

        // What integration tests share: the real daemon on a virtual reader, in a directory of its own.
        .target(
            name: "TestSupport",
            dependencies: [
                "BioauthClient", "BioauthWire", "BioauthCore", "BioauthSystem", "SyntheticFingers", "CGLib",
            ],
            path: "Tests/Support"),

        // What happens to a machine in a month, for the decisions alone and for the whole daemon.
        .target(name: "Month", dependencies: ["SyntheticFingers"], path: "Tests/Month"),

        // The same for the decisions alone, ten thousand times.
        .executableTarget(
            name: "bioauth-month", dependencies: ["Month", "BioauthCore", "SyntheticFingers"], path: "Tests/Desk"),

        .testTarget(
            name: "BioauthCoreTests", dependencies: ["BioauthCore", "Month", "SyntheticFingers", "bioauth-month"]),
        .testTarget(name: "PAMStacksTests", dependencies: ["PAMStacks", "TestSupport", "SyntheticFingers"]),
        .testTarget(
            name: "DiagnosisTests", dependencies: ["Diagnosis", "BioauthCore", "BioauthWire", "PAMStacks"]),
        .testTarget(name: "BioauthSystemTests", dependencies: ["BioauthSystem"]),
        .testTarget(
            name: "BioauthWireTests", dependencies: ["BioauthWire", "BioauthCore", "CModuleWire", "SyntheticFingers"],
            resources: [.copy("golden.txt")]),
        .testTarget(
            name: "FingerprintReaderTests",
            dependencies: [
                "FingerprintReader", "BioauthCore", "TestSupport", "SyntheticFingers", "CGLib", "CFprint", "CGUsb",
            ]),
        .testTarget(
            name: "SyntheticFingersTests",
            dependencies: ["SyntheticFingers", "FingerprintReader", "BioauthCore", "CGLib", "bioauth-finger"]),
        .testTarget(
            name: "LocalAuthenticationTests",
            dependencies: [
                "LocalAuthentication", "TestSupport", "BioauthClient", "BioauthWire", "BioauthCore", "BioauthSystem",
                "SyntheticFingers", "bioauthd", "bioauth-evaluate",
            ]),
        .testTarget(name: "ModuleTests", dependencies: ["TestSupport"]),
        .testTarget(
            name: "PasswordTests",
            dependencies: [
                "TestSupport", "BioauthClient", "BioauthCore", "BioauthWire", "BioauthSystem", "bioauth-password",
                "bioauthd",
            ]),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "TestSupport", "BioauthClient", "BioauthWire", "BioauthCore", "BioauthSystem", "SyntheticFingers",
                "bioauthctl", "bioauth-password",
            ]),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "TestSupport", "BioauthClient", "BioauthDaemon", "BioauthWire", "BioauthCore", "BioauthSystem",
                "SyntheticFingers", "bioauthd", "bioauthctl", "bioauth-usb",
            ]),
        // The real programs that let people in, each on a machine that only it sees.
        .testTarget(
            name: "HostTests",
            dependencies: [
                "TestSupport", "BioauthClient", "BioauthWire", "BioauthCore", "bioauthd", "bioauth-password",
            ],
            exclude: ["enter.sh", "agent.py"]),
    ],
    swiftLanguageModes: [.v6]
)
