/// A kind of authenticator, by the name configuration and people use for it.
public enum AuthenticatorType: String, CaseIterable, Sendable {
  case passcode
  case pattern

  /// The model's number, of which each type has its own (UAF protocol, AAID: `HHHH#HHHH`).
  public var aaid: String {
    switch self {
    case .passcode: "5541#0001"
    case .pattern: "5541#0002"
    }
  }

  /// Its `USER_VERIFY` bit (FIDO registry, user verification methods).
  public var userVerification: UInt32 {
    switch self {
    case .passcode: 0x04
    case .pattern: 0x80
    }
  }

  /// The type of a name or an AAID, hexadecimal digits in either case; nil if there is none.
  public init?(nameOrAAID text: String) {
    let found = Self.allCases.first { $0.rawValue == text || $0.aaid == text.uppercased() }
    guard let found else { return nil }
    self = found
  }
}
