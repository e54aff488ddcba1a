/// What a server asks of the channel binding in a final challenge.
package enum ChannelBindingPolicy: String, CaseIterable, Sendable {
  /// A client has to name the server's certificate.
  case require
  /// A client that names a certificate has to name the server's.
  case check
  /// Whatever a client names is ignored: behind something that ends TLS with a certificate nobody told the server.
  case off
}
