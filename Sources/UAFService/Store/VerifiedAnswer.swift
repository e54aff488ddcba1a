/// What a store keeps of a verified answer to a request for an authentication: all of it in one commit, or nothing.
package struct VerifiedAnswer: Sendable {
  package let username: String
  /// SHA-256 of the challenge, which becomes used.
  package let challengeHash: [UInt8]
  /// When the request would have expired, in seconds since 1970; the used challenge can be forgotten then.
  package let expiresAt: Int64
  /// The signatures, whose counters are raised.
  package let signatures: [VerifiedAuthentication]
  /// The confirmed text, once for each signature.
  package let confirmedTexts: [ConfirmedText]
  /// The approval whose text was confirmed.
  package let approvalID: Int64?
  /// Seconds since 1970.
  package let now: Int64
}
