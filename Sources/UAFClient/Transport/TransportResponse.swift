/// What a server answered, after a completed TLS handshake.
public struct TransportResponse: Equatable, Sendable {
  /// The HTTP status.
  public let status: Int

  /// The body's media type with its parameters; empty if the server named none.
  public let contentType: String

  /// The body, capped by the transport.
  public let body: [UInt8]

  /// The server's certificate in DER; empty if the transport does not know it.
  public let serverCertificate: [UInt8]

  /// Where a redirect points, which the transport does not follow; nil for any other answer.
  public let redirect: Redirect?

  /// Makes an answer.
  public init(
    status: Int, contentType: String, body: [UInt8], serverCertificate: [UInt8] = [], redirect: Redirect? = nil
  ) {
    self.status = status
    self.contentType = contentType
    self.body = body
    self.serverCertificate = serverCertificate
    self.redirect = redirect
  }

  /// The same answer with a part of its body.
  func with(body part: [UInt8]) -> TransportResponse {
    TransportResponse(
      status: status, contentType: contentType, body: part, serverCertificate: serverCertificate, redirect: redirect)
  }
}
