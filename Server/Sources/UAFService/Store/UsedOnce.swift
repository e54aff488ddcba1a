/// The challenges that were answered with success.
///
/// Each is kept until its request would have expired anyway.
package protocol UsedChallenges {
  /// Whether a request was answered with success before.
  func contains(_ challenge: IssuedChallenge) throws -> Bool
}

/// The proof tokens that were used.
///
/// Each is kept until it would have expired anyway.
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
/// Only somebody with an enrolment code or a proof gets such a request. Requests for an authentication are not stored: see
/// ``ServerData``.
package protocol OpenRegistrations {
  /// Stores a request, and removes requests that nobody answered in time.
  ///
  /// - Parameters:
  ///   - enrolmentID: the number of the enrolment code that allowed the request; nil if a proof did.
  ///   - now: seconds since 1970.
  ///   - maximumOpen: if more requests than this are open, the oldest are removed.
  func add(_ issued: IssuedRequest, enrolmentID: Int64?, now: Int64, maximumOpen: Int64) throws

  /// Finds a request.
  ///
  /// - Parameters:
  ///   - hash: SHA-256 of the challenge.
  ///   - serverData: the session data in the answer, already checked; the store does not keep it.
  /// - Returns: nil if there is none, or if it was already taken.
  func find(hash: [UInt8], serverData: String) throws -> (issued: IssuedRequest, enrolmentID: Int64?)?

  /// Removes a request that is answered now, so that its challenge is used only once.
  ///
  /// - Parameter hash: SHA-256 of the challenge.
  /// - Returns: false if there is none, or if it was already taken.
  func take(hash: [UInt8]) throws -> Bool

  /// Removes all requests, so that none can be answered any longer.
  func removeAll() throws
}
