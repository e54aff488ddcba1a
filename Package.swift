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

/// The tests of one target; nil for the folder of its name in Tests.
func tests(
  of name: String, at path: String? = nil, with dependencies: [Target.Dependency],
  swiftSettings: [SwiftSetting] = strict
) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies, path: path, swiftSettings: swiftSettings)
}

/// Products of swift-nio.
func nio(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "swift-nio") } }

/// A system that pam-uaf is not for.
let elsewhere = TargetDependencyCondition.when(platforms: [.windows])

/// Packages that the server's packages bring along.
///
/// They are named below only for their versions, and SwiftPM warns of a package that no target uses. So one does, where
/// nothing is built for it.
let broughtAlong: [Target.Dependency] = [
  .product(name: "Algorithms", package: "swift-algorithms", condition: elsewhere),
  .product(name: "Atomics", package: "swift-atomics", condition: elsewhere),
  .product(name: "Crypto", package: "swift-crypto", condition: elsewhere),
  .product(name: "HTTPTypes", package: "swift-http-types", condition: elsewhere),
  .product(name: "Metrics", package: "swift-metrics", condition: elsewhere),
  .product(name: "NIOExtras", package: "swift-nio-extras", condition: elsewhere),
  .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: elsewhere),
  .product(name: "NIOTransportServices", package: "swift-nio-transport-services", condition: elsewhere),
  .product(name: "RealModule", package: "swift-numerics", condition: elsewhere),
  .product(name: "ServiceContextModule", package: "swift-service-context", condition: elsewhere),
  .product(name: "StructuredFieldValues", package: "swift-http-structured-headers", condition: elsewhere),
  .product(name: "SwiftASN1", package: "swift-asn1", condition: elsewhere),
  .product(name: "SystemPackage", package: "swift-system", condition: elsewhere),
  .product(name: "Tracing", package: "swift-distributed-tracing", condition: elsewhere),
  .product(name: "X509", package: "swift-certificates", condition: elsewhere),
]

let package = Package(
  name: "pam-uaf",
  products: [
    .executable(name: "uaf-helper", targets: ["UAFHelper"]),
    .executable(name: "uaf-fetch", targets: ["UAFFetch"]),
    .executable(name: "uaf-chip", targets: ["UAFChip"]),
    .executable(name: "uaf-finger", targets: ["UAFFinger"]),
    .executable(name: "uaf-name", targets: ["UAFName"]),
    .executable(name: "uafctl", targets: ["UAFTool"]),
    .executable(name: "uaf-server", targets: ["UAFServer"]),
  ],
  // docs/dependencies.md says what each is for, its licence, and how its version is raised.
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),

    // What those bring along, so that its versions are fixed as well. No more traits than they ask for: traits add up.
    .package(url: "https://github.com/apple/swift-algorithms.git", exact: "1.2.1"),
    .package(url: "https://github.com/apple/swift-asn1.git", exact: "1.7.4"),
    .package(url: "https://github.com/apple/swift-async-algorithms.git", exact: "1.1.4"),
    .package(url: "https://github.com/apple/swift-atomics.git", exact: "1.3.0"),
    .package(url: "https://github.com/apple/swift-certificates.git", exact: "1.21.1"),
    .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-configuration.git", exact: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", exact: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-structured-headers.git", exact: "1.7.0"),
    .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-http2.git", exact: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-transport-services.git", exact: "1.28.0"),
    .package(url: "https://github.com/apple/swift-numerics.git", exact: "1.1.1"),
    .package(url: "https://github.com/apple/swift-service-context.git", exact: "1.5.1"),
    .package(url: "https://github.com/apple/swift-system.git", exact: "1.8.1"),
    .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
  ],
  targets: [
    // MARK: System libraries
    .systemLibrary(name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "libcrypto"),
    .systemLibrary(name: "CSQLite", path: "Sources/System/CSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CPCRE2", path: "Sources/System/CPCRE2", pkgConfig: "libpcre2-8"),
    .systemLibrary(name: "CLibPQ", path: "Server/Sources/CLibPQ", pkgConfig: "libpq"),
    .systemLibrary(name: "CPSL", path: "Sources/System/CPSL", pkgConfig: "libpsl"),
    .systemLibrary(name: "CUnistring", path: "Sources/System/CUnistring"),
    .systemLibrary(name: "CCurl", path: "Sources/System/CCurl", pkgConfig: "libcurl"),
    .systemLibrary(name: "CPAM", path: "Sources/System/CPAM"),
    .systemLibrary(name: "CTSS2", path: "Sources/System/CTSS2", pkgConfig: "tss2-esys"),
    .target(
      name: "CArguments", path: "Sources/System/CArguments", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),
    .systemLibrary(name: "CProcess", path: "Sources/System/CProcess"),
    .systemLibrary(name: "CSeccomp", path: "Sources/System/CSeccomp", pkgConfig: "libseccomp"),
    .systemLibrary(name: "CSystemd", path: "Sources/System/CSystemd", pkgConfig: "libsystemd"),
    .systemLibrary(name: "CQREncode", path: "Server/Sources/CQREncode", pkgConfig: "libqrencode"),

    // MARK: Shared by both sides
    .target(name: "SecretMemory", path: "Sources/Shared/SecretMemory", swiftSettings: strict),
    .target(
      name: "UAFCrypto", dependencies: ["SecretMemory", "COpenSSL"], path: "Sources/Shared/UAFCrypto",
      swiftSettings: strict),
    .target(name: "UAFMessages", path: "Sources/Shared/UAFMessages", swiftSettings: strict),
    .target(
      name: "UAFDecoder", dependencies: ["UAFMessages", "UAFCrypto"], path: "Sources/Shared/UAFDecoder",
      swiftSettings: strict),

    // MARK: The login path
    .target(name: "ServiceNames", path: "Sources/Shared/ServiceNames", swiftSettings: strict),
    .target(name: "FidoResults", path: "Sources/Shared/FidoResults", swiftSettings: strict),
    .target(name: "UAFWire", dependencies: ["SecretMemory"], path: "Sources/Login/UAFWire", swiftSettings: strict),
    .target(
      name: "ChildProcess", dependencies: ["CProcess"], path: "Sources/Login/ChildProcess", swiftSettings: strict),
    .target(
      name: "Sandbox", dependencies: ["CProcess", "CSeccomp"], path: "Sources/Login/Sandbox", swiftSettings: strict),
    .target(
      name: "AuthenticatorTypes", dependencies: ["SecretMemory", "UAFCrypto", "FidoResults", "CPCRE2", "CUnistring"],
      path: "Sources/Shared/AuthenticatorTypes", swiftSettings: strict),
    .target(
      name: "Authenticator",
      dependencies: ["AuthenticatorTypes", "SecretMemory", "UAFCrypto", "CSQLite", "CProcess"],
      path: "Sources/Login/Authenticator", swiftSettings: strict),
    .target(
      name: "UAFConfiguration",
      dependencies: ["AuthenticatorTypes", "FidoResults", "ServiceNames", "UAFCrypto"],
      path: "Sources/Shared/UAFConfiguration", swiftSettings: strict),
    .target(
      name: "UAFClient", dependencies: ["UAFMessages", "UAFCrypto", "FidoResults", "CPSL"],
      path: "Sources/Login/UAFClient", swiftSettings: strict),
    .executableTarget(
      name: "UAFHelper",
      dependencies: [
        "SecretMemory", "UAFWire", "UAFCrypto", "UAFMessages", "FidoResults", "Authenticator", "AuthenticatorTypes",
        "UAFConfiguration", "UAFClient", "ChildProcess", "CArguments", "CProcess", "Sandbox", "ServiceNames",
      ], path: "Sources/Login/UAFHelper", swiftSettings: strict),
    .executableTarget(
      name: "UAFFetch", dependencies: ["SecretMemory", "UAFWire", "CArguments", "CCurl", "CProcess", "Sandbox"],
      path: "Sources/Login/UAFFetch", swiftSettings: strict),
    .executableTarget(
      name: "UAFChip",
      dependencies: ["SecretMemory", "UAFWire", "UAFCrypto", "CArguments", "CProcess", "CTSS2", "Sandbox"],
      path: "Sources/Login/UAFChip", swiftSettings: strict),
    .executableTarget(
      name: "UAFFinger", dependencies: ["SecretMemory", "UAFWire", "CArguments", "CSystemd", "Sandbox"],
      path: "Sources/Login/UAFFinger", swiftSettings: strict),
    .executableTarget(
      name: "UAFName", dependencies: ["SecretMemory", "UAFWire", "CArguments", "Sandbox"],
      path: "Sources/Login/UAFName", swiftSettings: strict),

    // MARK: The command lines of both programs
    .target(name: "HostSystem", path: "Sources/Shared/HostSystem", swiftSettings: strict),
    .target(
      name: "Invocation",
      dependencies: ["HostSystem", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Sources/Shared/Invocation", swiftSettings: strict),

    // MARK: The person's and the administrator's tool
    .target(name: "Wording", dependencies: ["FidoResults"], path: "Sources/Tool/Wording", swiftSettings: strict),
    .target(
      name: "PAMStacks",
      dependencies: ["HostSystem", "ServiceNames", "Wording", "SecretMemory", "UAFCrypto", "CPAM"],
      path: "Sources/Tool/PAMStacks", swiftSettings: strict),
    .target(
      name: "TerminalPrompts", dependencies: ["HostSystem", "SecretMemory"], path: "Sources/Tool/TerminalPrompts",
      swiftSettings: strict),
    .target(
      name: "Doctor",
      dependencies: [
        "SecretMemory", "UAFWire", "UAFMessages", "UAFCrypto", "FidoResults", "AuthenticatorTypes", "UAFConfiguration",
        "UAFClient", "ChildProcess", "HostSystem", "PAMStacks", "Wording", "CProcess",
      ], path: "Sources/Tool/Doctor", swiftSettings: strict),
    .executableTarget(
      name: "UAFTool",
      dependencies: [
        "SecretMemory", "UAFWire", "UAFMessages", "FidoResults", "Authenticator", "AuthenticatorTypes",
        "UAFConfiguration", "ChildProcess",
        "Doctor", "Invocation", "HostSystem", "PAMStacks", "TerminalPrompts", "UAFCrypto", "Wording",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Tool/UAFTool", swiftSettings: besideFoundation),

    // MARK: The server
    .target(
      name: "UAFService", dependencies: ["UAFMessages", "UAFCrypto", "AuthenticatorTypes", "SecretMemory"],
      path: "Server/Sources/UAFService", swiftSettings: strict),
    .target(
      name: "SQLStore", dependencies: ["UAFService", "UAFMessages"], path: "Server/Sources/SQLStore",
      swiftSettings: strict),
    .target(
      name: "SQLiteStore",
      dependencies: ["SQLStore", "UAFService", "UAFMessages", "CSQLite", .product(name: "GRDB", package: "GRDB.swift")],
      path: "Server/Sources/SQLiteStore", swiftSettings: strict),
    .target(
      name: "PostgreSQLStore", dependencies: ["SQLStore", "UAFService", "UAFMessages", "SecretMemory", "CLibPQ"],
      path: "Server/Sources/PostgreSQLStore", swiftSettings: strict),
    .target(
      name: "WebMessages",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
      ], path: "Server/Sources/WebMessages", swiftSettings: strict),
    .target(
      name: "UAFAdministration",
      dependencies: [
        "UAFService", "UAFMessages", "UAFCrypto", "UAFDecoder", "AuthenticatorTypes",
        "UAFConfiguration", "FidoResults",
      ], path: "Server/Sources/UAFAdministration", swiftSettings: strict),
    .target(
      name: "UAFConsole",
      dependencies: [
        "UAFAdministration", "UAFService", "UAFMessages", "UAFCrypto", "FidoResults", "WebMessages", "CQREncode",
        .product(name: "Mustache", package: "swift-mustache"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
      ], path: "Server/Sources/UAFConsole", swiftSettings: besideFoundation),
    .executableTarget(
      name: "UAFServer",
      dependencies: [
        "UAFService", "SQLiteStore", "PostgreSQLStore", "UAFMessages", "UAFCrypto", "UAFDecoder", "AuthenticatorTypes",
        "Invocation", "WebMessages", "UAFAdministration", "UAFConsole", "HostSystem", "FidoResults", "SecretMemory",
        "CProcess",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ] + nio("NIOCore", "NIOHTTP1", "NIOPosix", "NIOTLS"),
      path: "Server/Sources/UAFServer", swiftSettings: besideFoundation),

    // MARK: Tests
    .target(name: "ProgramTesting", dependencies: ["CProcess"], path: "Tests/ProgramTesting", swiftSettings: strict),
    tests(of: "SecretMemory", with: []),
    tests(of: "UAFCrypto", with: ["SecretMemory", "COpenSSL"]),
    tests(of: "UAFMessages", with: []),
    tests(of: "UAFDecoder", with: ["UAFMessages"]),
    tests(of: "FidoResults", with: ["AuthenticatorTypes"]),
    tests(of: "UAFWire", with: ["SecretMemory"]),
    tests(
      of: "AuthenticatorTypes", with: ["ProgramTesting", "SecretMemory", "UAFCrypto", "FidoResults", "CUnistring"]),
    tests(
      of: "Authenticator",
      with: ["ProgramTesting", "AuthenticatorTypes", "SecretMemory", "UAFCrypto", "CSQLite"]),
    tests(
      of: "UAFConfiguration",
      with: ["ServiceNames", "AuthenticatorTypes", "FidoResults", "UAFCrypto", "ProgramTesting"]),
    tests(of: "UAFClient", with: ["UAFMessages", "UAFCrypto", "FidoResults", "SecretMemory"]),
    tests(
      of: "UAFHelper",
      with: [
        "Authenticator", "AuthenticatorTypes", "CProcess", "FidoResults", "SecretMemory", "UAFClient",
        "UAFConfiguration",
        "UAFCrypto", "UAFMessages", "UAFService", "UAFWire",
      ]),
    tests(of: "Sandbox", with: ["CSeccomp", "UAFHelper", "UAFFetch", "UAFChip", "UAFFinger", "UAFName"]),
    tests(of: "CArguments", with: []),
    tests(of: "UAFFetch", with: ["ProgramTesting", "UAFWire", "SecretMemory", "CCurl", "CProcess"]),
    tests(of: "UAFChip", with: ["SecretMemory", "UAFWire"]),
    tests(of: "UAFFinger", with: ["UAFWire"]),
    tests(of: "UAFName", with: ["UAFWire"]),
    tests(of: "Invocation", with: [.product(name: "ArgumentParser", package: "swift-argument-parser")]),
    .target(
      name: "ToolTestSupport",
      dependencies: [
        "Doctor", "FidoResults", "HostSystem", "PAMStacks", "TerminalPrompts", "UAFCrypto", "UAFMessages", "UAFWire",
        "Wording",
      ],
      path: "Tests/ToolTestSupport", swiftSettings: strict),
    tests(of: "TerminalPrompts", with: ["HostSystem", "SecretMemory", "ToolTestSupport"]),
    tests(of: "PAMStacks", with: ["ProgramTesting", "Wording", "ToolTestSupport"]),
    tests(
      of: "Doctor",
      with: [
        "Authenticator", "AuthenticatorTypes", "FidoResults", "PAMStacks", "UAFCrypto", "UAFConfiguration", "UAFWire",
        "Wording",
        "ToolTestSupport",
      ]),
    tests(
      of: "UAFTool",
      with: [
        "Doctor", "FidoResults", "UAFWire", "UAFMessages", "UAFConfiguration", "SecretMemory", "ChildProcess", "CPAM",
        "CProcess", "Invocation", "HostSystem", "PAMStacks", "ProgramTesting", "TerminalPrompts", "Wording",
        "ToolTestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: besideFoundation),
    .target(
      name: "ServerTesting",
      dependencies: [
        "UAFService", "SQLiteStore", "PostgreSQLStore", "ProgramTesting", "UAFMessages", "UAFCrypto", "SecretMemory",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Server/Tests/ServerTesting", swiftSettings: strict),
    tests(
      of: "UAFAdministration", at: "Server/Tests/UAFAdministrationTests",
      with: ["UAFService", "ServerTesting", "UAFMessages", "UAFCrypto"]),
    tests(
      of: "UAFConsole", at: "Server/Tests/UAFConsoleTests",
      with: ["UAFAdministration", "UAFService", "ServerTesting", "UAFMessages", "WebMessages"],
      swiftSettings: besideFoundation),
    tests(
      of: "UAFService", at: "Server/Tests/UAFServiceTests",
      with: ["ServerTesting", "UAFMessages", "UAFCrypto", "SecretMemory"]),
    tests(
      of: "SQLiteStore", at: "Server/Tests/SQLiteStoreTests",
      with: ["UAFService", "ServerTesting", "UAFMessages", .product(name: "GRDB", package: "GRDB.swift")]),
    tests(
      of: "PostgreSQLStore", at: "Server/Tests/PostgreSQLStoreTests",
      with: ["UAFService", "ServerTesting", "UAFMessages"]),
    tests(
      of: "UAFServer", at: "Server/Tests/UAFServerTests",
      with: [
        "UAFService", "SQLiteStore", "PostgreSQLStore", "ServerTesting", "ProgramTesting", "UAFMessages", "UAFCrypto",
        "AuthenticatorTypes", "Invocation", "CProcess", "HostSystem", "SecretMemory", "WebMessages",
        "UAFAdministration",
        "UAFConsole",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ] + nio("NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix", "NIOTLS") + broughtAlong,
      swiftSettings: besideFoundation),
    .testTarget(
      name: "EndToEndTests", dependencies: ["ProgramTesting", "UAFWire", "UAFMessages"], exclude: ["Programs"],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)
