/// The challenges that were answered with success, until their requests would have expired anyway.
package protocol UsedChallenges {
  /// Whether a request was answered with success before.
  ///
  /// - Parameter hash: SHA-256 of the challenge.
  func contains(_ hash: [UInt8]) throws -> Bool
}
