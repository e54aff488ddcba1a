import CCurl
import Glibc
import UAFWire

extension FetchOutcome {
  /// The outcome of a transfer that ended with `code`.
  ///
  /// A server is reported as away only if there was no TCP connection to it. Strangers can make a reached machine close, reset or
  /// stay silent.
  ///
  /// - Parameters:
  ///   - isTooLarge: Whether the transfer was broken off because of its size.
  ///   - reach: How far it came. After a finished handshake, the server sent what libcurl did not understand.
  init(_ code: CURLcode, isTooLarge: Bool, _ reach: Reach) {
    self =
      switch code {
      case CURLE_OK: .answered
      case _ where !reach.handshakeCompleted && reach.proxyFoundNone: .unreachable
      case _ where !reach.handshakeCompleted && reach.proxyRefused: .proxyRefused
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameNotResolved
      case CURLE_COULDNT_CONNECT: Self.unconnected(reach)
      case CURLE_OPERATION_TIMEDOUT: reach.isConnected && !reach.handshakeCompleted ? .stalled : .timedOut
      case CURLE_OUT_OF_MEMORY: .ownMeans
      case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED: .tlsFailed
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
        CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        .certificateRefused
      case CURLE_FILESIZE_EXCEEDED: .tooLarge
      case CURLE_WRITE_ERROR where isTooLarge: .tooLarge
      case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY,
        CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_PROXY:
        .connectionLost
      // libcurl says the same for an address of another scheme and for an answer that is not HTTP.
      case CURLE_UNSUPPORTED_PROTOCOL where reach.handshakeCompleted: .other
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_SSL_CACERT_BADFILE:
        .unacceptableRequest
      default: .other
      }
  }

  /// The outcome without a connection, by the error of the last attempt.
  ///
  /// One error has two reasons: no port is free, or there is no address to connect from. The second is looked up and not
  /// concluded from a port that is free afterwards: a stranger may have returned one meanwhile.
  private static func unconnected(_ reach: Reach) -> FetchOutcome {
    // libcurl cannot distinguish a connection that was reset at once from one that was never made.
    if reach.isConnected || reach.error == ECONNRESET { return .connectionLost }
    if reach.error == ECONNREFUSED { return .refused }
    let isNetworks = SocketAddress.isNetworks(reach.error) || (reach.error == EADDRNOTAVAIL && reach.lacksAddress)
    return isNetworks ? .unreachable : .ownMeans
  }

  /// Whether it means that the server is away, if this machine itself lacked nothing.
  var tellsOfAbsence: Bool { [.nameNotResolved, .refused, .unreachable, .timedOut].contains(self) }
}
