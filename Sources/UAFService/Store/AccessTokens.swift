/// The tokens of the API.
///
/// A store keeps a token's SHA-256, not the token: it has 256 random bits, so there is nothing to guess. Names are used
/// once, so that the audit means one token by each.
package protocol AccessTokens {
  /// - Returns: false if there is, or was, a token of the name.
  func add(_ token: AccessToken, hash: [UInt8]) throws -> Bool

  /// The token with a hash; nil if there is none.
  func token(hash: [UInt8]) throws -> AccessToken?

  /// The token of a name, also one that has ended; nil if there is none.
  func token(named name: String) throws -> AccessToken?

  /// All tokens in the order of their names.
  func all() throws -> [AccessToken]

  /// Notes that a token was used.
  func markUsed(_ name: String, now: Int64) throws

  /// - Returns: false if there is none of the name, or it was revoked before.
  func revoke(_ name: String, now: Int64) throws -> Bool
}
