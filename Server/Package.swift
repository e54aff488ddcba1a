// swift-tools-version: 6.2
import PackageDescription

// The server is a package of its own, so that whoever builds, packages or tests only the client neither resolves nor compiles
// any part of the server. The targets that both use are in the client's package, the folder above.

/// The same rules as in the client's package: language mode 6, warnings are errors, and each use of an unsafe construct is
/// spelt `unsafe` in the source.
let base: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]
let strict: [SwiftSetting] = base + [.enableUpcomingFeature("MemberImportVisibility")]

/// The settings of a target with a dependency that imports Foundation, which cannot use MemberImportVisibility.
///
/// Depending on the order in which modules are loaded, the members of `stat` may seem to belong to Dispatch's private C module.
let besideFoundation: [SwiftSetting] = base

/// The tests of one target, in the folder of its name in Tests.
func tests(
  of name: String, with dependencies: [Target.Dependency], swiftSettings: [SwiftSetting] = strict
) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies, swiftSettings: swiftSettings)
}

/// Targets of the client's package.
func shared(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "pam-uaf") } }

/// Products of swift-nio.
func nio(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "swift-nio") } }

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

/// A system that pam-uaf does not support.
let elsewhere = TargetDependencyCondition.when(platforms: [.windows])

/// The packages that the server's packages depend on.
///
/// They are named below only for their versions, and SwiftPM warns about a package that no target uses. So one target uses
/// them on a system for which nothing is built.
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
  name: "uaf-server",
  products: [.executable(name: "uaf-server", targets: ["UAFServer"])],
  // docs/dependencies.md gives the purpose and licence of each, and how to raise its version.
  dependencies: [
    .package(name: "pam-uaf", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),

    // Their dependencies, so that those versions are fixed as well. No more traits than they ask for: traits add up.
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
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq"),
    .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode"),
    .target(
      name: "UAFService",
      dependencies: shared("UAFMessages", "UAFCrypto", "AuthenticatorTypes", "SecretMemory", "WebAuthn"),
      swiftSettings: strict),
    .target(
      name: "SQLStore", dependencies: ["UAFService"] + shared("UAFMessages", "WebAuthn"), swiftSettings: strict),
    .target(
      name: "SQLiteStore", dependencies: ["SQLStore", "UAFService", grdb] + shared("UAFMessages", "CSQLite"),
      swiftSettings: strict),
    .target(
      name: "PostgreSQLStore",
      dependencies: ["SQLStore", "UAFService", "CLibPQ"] + shared("UAFMessages", "SecretMemory"),
      swiftSettings: strict),
    .target(name: "WebMessages", dependencies: nio("NIOCore", "NIOHTTP1"), swiftSettings: strict),
    .target(
      name: "UAFAdministration",
      dependencies: ["UAFService"]
        + shared(
          "UAFMessages", "UAFCrypto", "UAFDecoder", "AuthenticatorTypes", "UAFConfiguration", "FidoResults", "WebAuthn"),
      swiftSettings: strict),
    .target(
      name: "UAFConsole",
      dependencies: [
        "UAFAdministration", "UAFService", "WebMessages", "CQREncode",
        .product(name: "Mustache", package: "swift-mustache"),
      ] + shared("UAFMessages", "UAFCrypto", "FidoResults", "WebAuthn") + nio("NIOCore", "NIOHTTP1"),
      swiftSettings: besideFoundation),
    .executableTarget(
      name: "UAFServer",
      dependencies: [
        "UAFService", "SQLiteStore", "PostgreSQLStore", "WebMessages", "UAFAdministration", "UAFConsole",
        argumentParser, logging, nioSSL, serviceLifecycle,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]
        + shared(
          "UAFMessages", "UAFCrypto", "UAFDecoder", "AuthenticatorTypes", "Invocation", "HostSystem", "FidoResults",
          "SecretMemory", "CProcess", "WebAuthn") + nio("NIOCore", "NIOHTTP1", "NIOPosix", "NIOTLS"),
      swiftSettings: besideFoundation),

    // MARK: Tests
    .target(
      name: "ServerTesting",
      dependencies: ["UAFService", "SQLiteStore", "PostgreSQLStore", grdb]
        + shared("ProgramTesting", "UAFMessages", "UAFCrypto", "SecretMemory", "WebAuthn"),
      path: "Tests/ServerTesting", swiftSettings: strict),
    tests(
      of: "UAFAdministration", with: ["UAFService", "ServerTesting"] + shared("UAFMessages", "UAFCrypto", "WebAuthn")),
    tests(
      of: "UAFConsole",
      with: ["UAFAdministration", "UAFService", "ServerTesting", "WebMessages"]
        + shared("AuthenticatorTypes", "UAFMessages", "UAFCrypto", "WebAuthn"),
      swiftSettings: besideFoundation),
    tests(
      of: "UAFService",
      with: ["ServerTesting"]
        + shared("AuthenticatorTypes", "UAFMessages", "UAFCrypto", "SecretMemory", "WebAuthn")),
    tests(of: "SQLiteStore", with: ["UAFService", "SQLStore", "ServerTesting", grdb] + shared("UAFMessages")),
    tests(of: "PostgreSQLStore", with: ["UAFService", "ServerTesting"] + shared("UAFMessages")),
    tests(
      of: "UAFServer",
      with: [
        "UAFService", "SQLiteStore", "PostgreSQLStore", "ServerTesting", "WebMessages", "UAFAdministration",
        "UAFConsole", argumentParser, grdb, logging, nioSSL, serviceLifecycle,
      ]
        + shared(
          "ProgramTesting", "UAFMessages", "UAFCrypto", "AuthenticatorTypes", "Invocation", "CProcess", "HostSystem",
          "SecretMemory", "WebAuthn") + nio("NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix", "NIOTLS") + broughtAlong,
      swiftSettings: besideFoundation),
    // Whole logins: the programs of both packages, as they were built for release.
    .testTarget(
      name: "EndToEndTests", dependencies: shared("ProgramTesting", "UAFWire", "UAFMessages"), exclude: ["Programs"],
      swiftSettings: strict),
  ]
)
