/// Why there was no answer from the server (4001).
public enum NetworkFailure: CaseIterable, Sendable {
  /// The name was not found.
  case dns
  /// Nothing listens there.
  case refused
  /// No route to the server: the network is away, or a router, a firewall or the proxy reports none.
  case unreachable
  /// Too late.
  case timeOut
  /// The secure connection could not be made.
  case tls
  /// The proxy of the configuration does not let the request through: it wants a password, or forbids the server.
  case proxy
  /// The connection broke, or the bytes received were no answer.
  case connectionLost
  /// This machine lacked a thread, a descriptor, memory or a port, so it is unknown whether the server is there.
  case ownMeans
}
