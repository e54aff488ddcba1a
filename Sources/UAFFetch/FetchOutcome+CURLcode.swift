import CCurl
import UAFWire

extension FetchOutcome {
  /// The outcome of a transfer that ended with `code`.
  ///
  /// - Parameters:
  ///   - isTooLarge: Whether the transfer was broken off because of its size.
  ///   - handshakeCompleted: Whether the server was reached, which makes it the author of what libcurl
  ///     did not understand.
  init(_ code: CURLcode, isTooLarge: Bool, handshakeCompleted: Bool) {
    self =
      switch code {
      case CURLE_OK: .answered
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameNotResolved
      case CURLE_COULDNT_CONNECT, CURLE_PROXY: .refused
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED: .tlsFailed
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
        CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        .certificateRefused
      case CURLE_FILESIZE_EXCEEDED: .tooLarge
      case CURLE_WRITE_ERROR where isTooLarge: .tooLarge
      case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY,
        CURLE_HTTP2, CURLE_HTTP2_STREAM:
        .connectionLost
      // libcurl says the same for an address of another scheme and for an answer that is not HTTP.
      case CURLE_UNSUPPORTED_PROTOCOL where handshakeCompleted: .other
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_SSL_CACERT_BADFILE:
        .unacceptableRequest
      default: .other
      }
  }
}
