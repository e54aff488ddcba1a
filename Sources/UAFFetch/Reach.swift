/// How far a transfer came on the way to the server.
struct Reach: Equatable {
  /// Whether the TLS handshake was completed.
  var handshakeCompleted = false
  /// Whether there was a TCP connection, to the server or to the proxy.
  var isConnected = false
  /// The system's error number of the last connection that failed; 0 for none.
  var error: Int32 = 0
  /// Whether this machine has no address from which one of the server's could be reached.
  var lacksAddress = false
  /// What the proxy said to CONNECT; 0 for nothing.
  var proxyStatus = 0

  /// Whether the proxy says that it found no way to the server.
  var proxyFoundNone: Bool { [502, 503, 504].contains(proxyStatus) }
  /// Whether the proxy does not let the request through: it wants a password (407), forbids the server (403), or the like.
  var proxyRefused: Bool { proxyStatus >= 300 && !proxyFoundNone }
}
