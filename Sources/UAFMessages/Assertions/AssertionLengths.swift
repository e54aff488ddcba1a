/// Lengths that both kinds of assertion share.
enum AssertionLengths {
  /// Hashes of the registry's signature algorithms have 32 to 64 bytes.
  static let hash = 32...64

  /// At least 8 random bytes by the specification; more than 64 serve nobody.
  static let nonce = 8...64
}
