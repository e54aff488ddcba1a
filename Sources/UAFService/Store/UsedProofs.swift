/// The proof tokens that were used, until they would have expired anyway.
package protocol UsedProofs {
  /// Whether a token was used.
  func contains(tokenID: String) throws -> Bool

  /// Marks a token as used.
  ///
  /// - Parameters:
  ///   - expiresAt: seconds since 1970; the token can be forgotten then.
  ///   - now: seconds since 1970.
  /// - Returns: false if it was used before.
  func use(tokenID: String, expiresAt: Int64, now: Int64) throws -> Bool
}
