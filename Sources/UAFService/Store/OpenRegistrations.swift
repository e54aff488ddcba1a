/// The requests for a registration that wait for their answer.
///
/// Only a person with a code or a proof gets one. Requests for an authentication are not kept: see ``ServerData``.
package protocol OpenRegistrations {
  /// Keeps a request, and removes those that nobody answered in time.
  ///
  /// - Parameters:
  ///   - enrolmentID: the number of the enrolment code that it was asked for with; nil for a proof.
  ///   - now: seconds since 1970.
  ///   - maximumOpen: of more open requests than this the oldest are removed.
  func add(_ issued: IssuedRequest, enrolmentID: Int64?, now: Int64, maximumOpen: Int64) throws

  /// Finds a request.
  ///
  /// - Parameters:
  ///   - hash: SHA-256 of the challenge.
  ///   - serverData: as the answer brings it back, and as it was checked; it is not stored.
  /// - Returns: nil if there is none, or it was taken already.
  func find(hash: [UInt8], serverData: String) throws -> (issued: IssuedRequest, enrolmentID: Int64?)?

  /// Takes a request out: a challenge serves once.
  ///
  /// - Parameter hash: SHA-256 of the challenge.
  /// - Returns: false if there is none, or it was taken already.
  func take(hash: [UInt8]) throws -> Bool

  /// Removes all requests: none can be answered any more.
  func removeAll() throws
}
