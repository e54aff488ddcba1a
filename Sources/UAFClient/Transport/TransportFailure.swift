import FidoResults

/// Why there was no answer.
///
/// Only the first case may let a PAM stack go on without the server.
public enum TransportFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The server is away: no connection to it was made.
  case noHandshake(NetworkFailure)
  /// A machine answered at the server's address, and no TLS handshake was completed with it.
  ///
  /// The server is not reported as away, because an attacker who keeps it busy or answers in its place can cause this.
  case withoutHandshake(NetworkFailure)
  /// This machine lacked what a connection needs, so it is unknown whether the server is there.
  case ownMeans
  /// The server was reached over TLS, then nothing usable came.
  case afterHandshake(NetworkFailure)
  /// The server's certificate is not valid.
  case certificateRefused
  /// The answer was longer than the transport takes.
  case answerTooLarge
  /// The transport does not take this request: an address that is not https, or a body that is too long.
  case requestNotAcceptable
  /// There is no transport: its process is missing or has died.
  case unavailable

  /// Says what failed, for the log.
  public var description: String {
    switch self {
    case .noHandshake(let failure): "no connection to the server (\(failure)); check network, address and server"
    case .withoutHandshake(.proxy):
      "the proxy does not let the request through; check server.proxy, and which servers and machines the proxy serves"
    case .withoutHandshake(let failure):
      "a machine answers at the server's address, and no secure connection came about (\(failure)); check the server, and "
        + "what accepts connections in its place"
    case .ownMeans:
      "this machine lacks a process, memory, a descriptor or a port to ask the server with; look for limits and for who uses "
        + "them up"
    case .afterHandshake(let failure): "the server stopped answering (\(failure)); check the server"
    case .certificateRefused: "the server's certificate is not trusted; check the server and ca_file"
    case .answerTooLarge: "the server's answer is too large; check that the address is a UAF server's"
    case .requestNotAcceptable: "the request cannot be sent; check the addresses in the configuration"
    case .unavailable: "the network program is missing or has died: 'uafctl doctor', run by root, says why"
    }
  }
}
