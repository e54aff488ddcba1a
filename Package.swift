// swift-tools-version: 6.2
import PackageDescription

/// Every target is held to the same rules: language mode 6, warnings are errors, and each use of
/// an unsafe construct is spelt `unsafe` in the source.
let base: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]
let strict: [SwiftSetting] = base + [.enableUpcomingFeature("MemberImportVisibility")]

/// Where a dependency imports Foundation, the members of `stat` may count as the private C module's of Dispatch, depending
/// on the order in which modules are loaded: visibility by import cannot be asked of such a target.
let besideFoundation: [SwiftSetting] = base

let package = Package(
  name: "pam-uaf",
  products: [
    .executable(name: "uaf-helper", targets: ["UAFHelper"]),
    .executable(name: "uaf-fetch", targets: ["UAFFetch"]),
    .executable(name: "uafctl", targets: ["UAFTool"]),
    .executable(name: "uaf-server", targets: ["UAFServer"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
  ],
  targets: [
    // MARK: System libraries
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8"),
    .systemLibrary(name: "CPSL", pkgConfig: "libpsl"),
    .systemLibrary(name: "CUnistring"),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
    .systemLibrary(name: "CPAM"),
    .systemLibrary(name: "CProcess"),
    .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp"),

    // MARK: Shared by both sides
    .target(name: "SecretMemory", swiftSettings: strict),
    .target(name: "UAFCrypto", dependencies: ["SecretMemory", "COpenSSL"], swiftSettings: strict),
    .target(name: "UAFMessages", swiftSettings: strict),
    .target(name: "UAFDecoder", dependencies: ["UAFMessages", "UAFCrypto"], swiftSettings: strict),

    // MARK: The login path
    .target(name: "ServiceNames", swiftSettings: strict),
    .target(name: "FidoResults", swiftSettings: strict),
    .target(name: "UAFWire", dependencies: ["SecretMemory"], swiftSettings: strict),
    .target(name: "ChildProcess", dependencies: ["CProcess"], swiftSettings: strict),
    .target(name: "Sandbox", dependencies: ["CProcess", "CSeccomp"], swiftSettings: strict),
    .target(
      name: "Authenticator",
      dependencies: ["SecretMemory", "UAFCrypto", "FidoResults", "CSQLite", "CPCRE2", "CUnistring", "CProcess"],
      swiftSettings: strict),
    .target(
      name: "UAFConfiguration",
      dependencies: ["Authenticator", "FidoResults", "ServiceNames"],
      swiftSettings: strict),
    .target(
      name: "UAFClient",
      dependencies: ["UAFMessages", "UAFCrypto", "FidoResults", "SecretMemory", "CPSL"],
      swiftSettings: strict),
    .executableTarget(
      name: "UAFHelper",
      dependencies: [
        "SecretMemory", "UAFWire", "UAFCrypto", "UAFMessages", "FidoResults", "Authenticator",
        "UAFConfiguration", "UAFClient", "ChildProcess", "CProcess", "Sandbox", "ServiceNames",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "UAFFetch", dependencies: ["SecretMemory", "UAFWire", "CCurl", "CProcess", "Sandbox"], swiftSettings: strict
    ),

    // MARK: The command lines of both programs
    .target(name: "HostSystem", swiftSettings: strict),
    .target(
      name: "Invocation",
      dependencies: ["HostSystem", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: strict),

    // MARK: The person's and the administrator's tool
    .target(name: "Wording", dependencies: ["FidoResults"], swiftSettings: strict),
    .target(
      name: "PAMStacks",
      dependencies: ["HostSystem", "ServiceNames", "Wording", "SecretMemory", "UAFCrypto", "CPAM"],
      swiftSettings: strict),
    .target(name: "TerminalPrompts", dependencies: ["HostSystem", "SecretMemory"], swiftSettings: strict),
    .executableTarget(
      name: "UAFTool",
      dependencies: [
        "SecretMemory", "UAFWire", "UAFMessages", "UAFCrypto", "FidoResults", "Authenticator", "UAFConfiguration",
        "UAFClient", "ChildProcess", "Invocation", "HostSystem", "PAMStacks", "TerminalPrompts", "Wording",
        "CProcess",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: besideFoundation),

    // MARK: The server
    .executableTarget(
      name: "UAFServer",
      dependencies: [
        "UAFMessages", "UAFCrypto", "UAFDecoder", "Authenticator", "Invocation", "HostSystem", "FidoResults",
        "CProcess",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: besideFoundation),

    // MARK: Tests
    .testTarget(name: "SecretMemoryTests", dependencies: ["SecretMemory"], swiftSettings: strict),
    .testTarget(name: "UAFCryptoTests", dependencies: ["UAFCrypto", "SecretMemory"], swiftSettings: strict),
    .testTarget(name: "UAFMessagesTests", dependencies: ["UAFMessages"], swiftSettings: strict),
    .testTarget(name: "UAFDecoderTests", dependencies: ["UAFDecoder", "UAFMessages"], swiftSettings: strict),
    .testTarget(name: "FidoResultsTests", dependencies: ["FidoResults"], swiftSettings: strict),
    .testTarget(name: "UAFWireTests", dependencies: ["UAFWire", "SecretMemory"], swiftSettings: strict),
    .testTarget(
      name: "AuthenticatorTests",
      dependencies: ["Authenticator", "SecretMemory", "UAFCrypto", "FidoResults", "CUnistring"],
      swiftSettings: strict),
    .testTarget(
      name: "UAFConfigurationTests", dependencies: ["UAFConfiguration", "ServiceNames"], swiftSettings: strict),
    .testTarget(
      name: "UAFClientTests", dependencies: ["UAFClient", "UAFMessages", "UAFCrypto", "FidoResults"],
      swiftSettings: strict),
    .testTarget(
      name: "UAFHelperTests",
      dependencies: [
        "UAFHelper", "Authenticator", "FidoResults", "SecretMemory", "UAFClient", "UAFConfiguration", "UAFMessages",
        "UAFWire",
      ], swiftSettings: strict),
    .testTarget(
      name: "SandboxTests", dependencies: ["Sandbox", "CSeccomp", "UAFHelper", "UAFFetch"], swiftSettings: strict),
    .testTarget(
      name: "UAFFetchTests", dependencies: ["UAFFetch", "UAFWire", "SecretMemory", "CCurl"],
      swiftSettings: strict),
    .testTarget(
      name: "InvocationTests",
      dependencies: ["Invocation", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: strict),
    .target(
      name: "ToolTestSupport", dependencies: ["HostSystem", "PAMStacks", "TerminalPrompts"],
      path: "Tests/ToolTestSupport", swiftSettings: strict),
    .testTarget(
      name: "TerminalPromptsTests",
      dependencies: ["TerminalPrompts", "HostSystem", "SecretMemory", "ToolTestSupport"], swiftSettings: strict),
    .testTarget(
      name: "PAMStacksTests", dependencies: ["PAMStacks", "Wording", "ToolTestSupport"], swiftSettings: strict),
    .testTarget(
      name: "UAFToolTests",
      dependencies: [
        "UAFTool", "UAFWire", "UAFMessages", "UAFConfiguration", "UAFCrypto", "SecretMemory", "ChildProcess", "CPAM",
        "FidoResults", "Invocation", "HostSystem", "PAMStacks", "TerminalPrompts", "Wording",
        "ToolTestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: besideFoundation),
    .testTarget(
      name: "UAFServerTests",
      dependencies: [
        "UAFServer", "UAFMessages", "UAFCrypto", "Authenticator", "Invocation", "CProcess",
        .product(name: "HummingbirdTesting", package: "hummingbird"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests", dependencies: ["UAFWire", "UAFMessages"], exclude: ["Programs"],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)
