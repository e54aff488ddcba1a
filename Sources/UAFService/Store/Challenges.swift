/// The requests that wait for their answer.
package protocol Challenges {
  /// Keeps a request, and removes those that nobody answered in time.
  ///
  /// - Parameters:
  ///   - code: the one-time code it was asked for with.
  ///   - now: seconds since 1970.
  ///   - maximumOpen: of more open requests than this the oldest are removed.
  func add(_ issued: IssuedRequest, code: CodeInUse?, now: Int64, maximumOpen: Int64) throws

  /// Takes a request out, whatever becomes of its answer: a challenge serves once.
  ///
  /// - Parameters:
  ///   - hash: SHA-256 of the challenge.
  ///   - serverData: as the answer brings it back, and as it was checked; it is not stored.
  /// - Returns: nil if there is none, or it was taken already.
  func take(hash: [UInt8], serverData: String) throws -> (issued: IssuedRequest, code: CodeInUse?)?
}
