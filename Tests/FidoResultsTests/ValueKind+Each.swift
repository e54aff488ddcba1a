import AuthenticatorTypes
import FidoResults

extension ValueKind {
  /// For texts that must not show which of the types the account has.
  static let either = oneOf(AuthenticatorType.allCases.filter(\.isTyped).map(\.kind))

  /// Everything that a text can name: each type, and one of them.
  static let allCases = AuthenticatorType.allCases.map(\.kind) + [either]
}
