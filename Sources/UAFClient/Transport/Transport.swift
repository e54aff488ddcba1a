/// One HTTPS exchange at a time, in two steps, so that a request travels while the person types.
///
/// An implementation sends no cookies, follows no redirects, and checks the server's certificate.
public protocol Transport: ~Copyable {
  /// Sends a request, or at least starts to.
  ///
  /// - Throws: ``TransportFailure``.
  mutating func begin(_ request: TransportRequest) throws(TransportFailure)

  /// Waits for the answer to the request that was begun last.
  ///
  /// - Throws: ``TransportFailure``.
  mutating func finish() throws(TransportFailure) -> TransportResponse
}
