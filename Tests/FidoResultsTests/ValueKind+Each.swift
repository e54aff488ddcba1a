import AuthenticatorTypes
import FidoResults

extension ValueKind {
  /// For texts that must not reveal which authenticator types the account has.
  static let either = oneOf(AuthenticatorType.allCases.filter(\.isTyped).map(\.kind))

  /// Everything that a text can name: each typed or other authenticator type, and "passcode or pattern".
  static let allCases = AuthenticatorType.allCases.map(\.kind) + [either]
}
