/// The requests that clients may send again.
package protocol RepeatableRequests {
  /// Notes that a request is under way, and forgets those that have expired.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: the request that this caller has sent before under the same key; nil if there is none, and then this one is
  ///   noted.
  func begin(_ request: RepeatableRequest, now: Int64) throws -> RepeatableRequest?

  /// Keeps what was answered to a request that is under way.
  func finish(_ request: RepeatableRequest) throws

  /// Forgets a request that was refused: it may be sent again.
  func forget(_ request: RepeatableRequest) throws
}
