/// The challenges that were answered with success, until their requests would have expired anyway.
package protocol UsedChallenges {
  /// Whether a request was answered with success before.
  func contains(_ challenge: IssuedChallenge) throws -> Bool
}

/// The proof tokens that were used, until they would have expired anyway.
package protocol UsedProofs {
  /// Whether a token was used.
  func contains(tokenID: String) throws -> Bool

  /// Marks a token as used.
  ///
  /// - Parameters:
  ///   - expiresAt: seconds since 1970; the token can be forgotten after that time.
  ///   - now: seconds since 1970.
  /// - Returns: false if it was used before.
  func use(tokenID: String, expiresAt: Int64, now: Int64) throws -> Bool
}

/// The requests for a registration that wait for their answer.
///
/// Only a person with a code or a proof gets one. Requests for an authentication are not kept: see ``ServerData``.
package protocol OpenRegistrations {
  /// Keeps a request, and removes those that nobody answered in time.
  ///
  /// - Parameters:
  ///   - enrolmentID: the number of the enrolment code with which it was requested; nil for a proof.
  ///   - now: seconds since 1970.
  ///   - maximumOpen: if more requests than this are open, the oldest are removed.
  func add(_ issued: IssuedRequest, enrolmentID: Int64?, now: Int64, maximumOpen: Int64) throws

  /// Finds a request.
  ///
  /// - Parameters:
  ///   - hash: SHA-256 of the challenge.
  ///   - serverData: as the answer returns it, checked; it is not stored.
  /// - Returns: nil if there is none, or if it was already taken.
  func find(hash: [UInt8], serverData: String) throws -> (issued: IssuedRequest, enrolmentID: Int64?)?

  /// Takes a request out: a challenge is used only once.
  ///
  /// - Parameter hash: SHA-256 of the challenge.
  /// - Returns: false if there is none, or if it was already taken.
  func take(hash: [UInt8]) throws -> Bool

  /// Removes all requests: none can be answered any longer.
  func removeAll() throws
}
