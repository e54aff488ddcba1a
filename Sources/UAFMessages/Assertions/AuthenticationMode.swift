/// What the authenticator did before it signed (TAG_ASSERTION_INFO).
public enum AuthenticationMode: UInt8, Sendable {
  /// The person was verified.
  case userVerified = 1
  /// The person was verified, saw the transaction and confirmed it.
  case transactionConfirmed = 2
}
