/// The challenges that were answered with success, until their requests would have expired anyway.
package protocol UsedChallenges {
  /// Whether a request was answered with success before.
  func contains(_ challenge: IssuedChallenge) throws -> Bool
}
