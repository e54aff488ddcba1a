import SecretMemory

/// What came of opening an authenticator with a value.
enum KeyOpening: ~Copyable {
  /// Its key.
  case opened(Secret)
  /// The value is wrong.
  case wrong
  /// The value was not looked at: the chip has counted too many wrong ones.
  case exhausted
}
