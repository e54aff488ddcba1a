/// What a server asks of the channel binding in a final challenge.
package enum ChannelBindingPolicy: String, CaseIterable, Sendable {
  /// A client has to name the server's certificate.
  case require
  /// A client that names a certificate has to name the server's.
  case check
  /// What a client names is ignored. For a server behind a proxy that ends TLS with a certificate the server does not know.
  case off
}
