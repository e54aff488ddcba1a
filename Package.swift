// swift-tools-version: 6.2
import PackageDescription

/// The rules for every target: language mode 6, warnings are errors, and each use of an unsafe construct is spelt `unsafe` in
/// the source.
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

/// The settings of tests that explore many thousands of states: without optimisation they would take half the time of all tests.
let exploring: [SwiftSetting] = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// The tests of one target, in the folder of its name in Tests.
func tests(
  of name: String, with dependencies: [Target.Dependency], swiftSettings: [SwiftSetting] = strict
) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies, swiftSettings: swiftSettings)
}

/// The targets that the server's package (Server/Package.swift) uses.
let forServer = [
  "SecretMemory", "UAFCrypto", "UAFMessages", "CBOR", "WebAuthn", "UAFDecoder", "FidoResults", "AuthenticatorTypes",
  "UAFConfiguration", "HostSystem", "Invocation", "CProcess", "CSQLite",
]

/// The targets that only the server's tests use.
let forTestsOfServer = ["ProgramTesting", "UAFWire"]

let package = Package(
  name: "pam-uaf",
  products: [
    .executable(name: "uaf-helper", targets: ["UAFHelper"]),
    .executable(name: "uaf-fetch", targets: ["UAFFetch"]),
    .executable(name: "uaf-chip", targets: ["UAFChip"]),
    .executable(name: "uaf-finger", targets: ["UAFFinger"]),
    .executable(name: "uaf-name", targets: ["UAFName"]),
    .executable(name: "uafctl", targets: ["UAFTool"]),
  ] + (forServer + forTestsOfServer).map { .library(name: $0, targets: [$0]) },
  // docs/dependencies.md gives the purpose and licence of each, and how to raise its version.
  dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")],
  targets: [
    // MARK: System libraries
    .systemLibrary(name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "libcrypto"),
    .systemLibrary(name: "CSQLite", path: "Sources/System/CSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CPCRE2", path: "Sources/System/CPCRE2", pkgConfig: "libpcre2-8"),
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

    // MARK: Shared by both sides
    .target(name: "SecretMemory", path: "Sources/Shared/SecretMemory", swiftSettings: strict),
    .target(
      name: "UAFCrypto", dependencies: ["SecretMemory", "COpenSSL"], path: "Sources/Shared/UAFCrypto",
      swiftSettings: strict),
    .target(name: "UAFMessages", path: "Sources/Shared/UAFMessages", swiftSettings: strict),
    .target(name: "CBOR", path: "Sources/Shared/CBOR", swiftSettings: strict),
    .target(
      name: "WebAuthn", dependencies: ["CBOR", "UAFCrypto", "UAFMessages"], path: "Sources/Shared/WebAuthn",
      swiftSettings: strict),
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
      name: "UAFClient", dependencies: ["UAFMessages", "UAFCrypto", "FidoResults", "CPSL", "WebAuthn"],
      path: "Sources/Login/UAFClient", swiftSettings: strict),
    .executableTarget(
      name: "UAFHelper",
      dependencies: [
        "SecretMemory", "UAFWire", "UAFCrypto", "UAFMessages", "FidoResults", "Authenticator", "AuthenticatorTypes",
        "UAFConfiguration", "UAFClient", "WebAuthn", "ChildProcess", "CArguments", "CProcess", "Sandbox",
        "ServiceNames",
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

    // MARK: Tests
    .target(name: "ProgramTesting", dependencies: ["CProcess"], path: "Tests/ProgramTesting", swiftSettings: strict),
    tests(of: "SecretMemory", with: []),
    tests(of: "UAFCrypto", with: ["SecretMemory", "COpenSSL"]),
    tests(of: "UAFMessages", with: []),
    tests(of: "CBOR", with: []),
    tests(of: "WebAuthn", with: ["CBOR", "SecretMemory", "UAFCrypto", "UAFMessages"]),
    tests(of: "UAFDecoder", with: ["UAFMessages"]),
    tests(of: "FidoResults", with: ["AuthenticatorTypes"]),
    tests(of: "UAFWire", with: ["SecretMemory"]),
    tests(
      of: "AuthenticatorTypes", with: ["ProgramTesting", "SecretMemory", "UAFCrypto", "FidoResults", "CUnistring"]),
    tests(
      of: "Authenticator",
      with: ["ProgramTesting", "AuthenticatorTypes", "SecretMemory", "UAFCrypto", "CSQLite"], swiftSettings: exploring),
    tests(
      of: "UAFConfiguration",
      with: ["ServiceNames", "AuthenticatorTypes", "FidoResults", "UAFCrypto", "ProgramTesting"]),
    tests(of: "UAFClient", with: ["UAFMessages", "UAFCrypto", "FidoResults", "SecretMemory", "WebAuthn"]),
    tests(
      of: "UAFHelper",
      with: [
        "Authenticator", "AuthenticatorTypes", "CProcess", "FidoResults", "SecretMemory", "UAFClient",
        "UAFConfiguration",
        "UAFCrypto", "UAFMessages", "UAFWire", "WebAuthn",
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
    tests(of: "PAMStacks", with: ["HostSystem", "ProgramTesting", "Wording", "ToolTestSupport"]),
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
  ],
  cxxLanguageStandard: .cxx17
)
