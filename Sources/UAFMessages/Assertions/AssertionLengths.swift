/// Lengths that both kinds of assertion share.
enum AssertionLengths {
  /// Hashes of the registry's signature algorithms have 32 to 64 bytes.
  static let hash = 32...64

  /// At least 8 random bytes, as the specification says; more than 64 have no use.
  static let nonce = 8...64
}
