import Authenticator

/// A type of authenticator that the configuration may name, also one that this version cannot verify.
public struct ConfiguredAuthenticator: Hashable, Sendable {
  /// The name in the configuration.
  public let rawValue: String

  /// Types that the system manages and this version cannot verify.
  private static let systems = ["biometric", "face"]

  /// Every type that may be named: those that this version can verify, then the others.
  public static var allCases: [ConfiguredAuthenticator] {
    let built = AuthenticatorType.allCases.map(\.rawValue)
    return (built + systems.filter { !built.contains($0) }).map { ConfiguredAuthenticator(unchecked: $0) }
  }

  /// A type that this version can verify.
  public init(_ type: AuthenticatorType) { rawValue = type.rawValue }

  /// The type of a name; nil if there is none.
  public init?(rawValue: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = found
  }

  /// The type of a name, or of the AAID of one that this version can verify; nil if there is none.
  init?(nameOrAAID text: String) {
    guard let type = Self(rawValue: AuthenticatorType(nameOrAAID: text)?.rawValue ?? text) else { return nil }
    self = type
  }

  private init(unchecked rawValue: String) { self.rawValue = rawValue }

  /// The type itself; nil if this version cannot verify it.
  public var type: AuthenticatorType? { AuthenticatorType(rawValue: rawValue) }

  static var namesForPeople: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
