import CCurl
import Glibc
import Testing
import UAFWire

@testable import UAFFetch

/// Which outcome each of libcurl's result codes gives.
struct FetchOutcomeTests {
  private static func outcome(
    _ code: CURLcode, tooLarge: Bool = false, handshake: Bool = false, connected: Bool = false, error: Int32 = 0,
    proxy: Int = 0
  ) -> FetchOutcome {
    let reach = Reach(
      handshakeCompleted: handshake, isConnected: connected || handshake, error: error, proxyStatus: proxy)
    return FetchOutcome(code, isTooLarge: tooLarge, reach)
  }

  @Test func `only libcurl's success counts as an answer`() {
    for number in UInt32(0)..<200 {
      for handshake in [false, true] {
        let outcome = Self.outcome(CURLcode(number), tooLarge: handshake, handshake: handshake)
        #expect((outcome == .answered) == (number == 0))
      }
    }
  }

  @Test func `distinguishes an answer that is too large from one that was interrupted otherwise`() {
    #expect(Self.outcome(CURLE_WRITE_ERROR, tooLarge: true) == .tooLarge)
    #expect(Self.outcome(CURLE_WRITE_ERROR) == .other)
  }

  @Test func `distinguishes an unknown scheme from an answer that is not HTTP`() {
    #expect(Self.outcome(CURLE_UNSUPPORTED_PROTOCOL) == .unacceptableRequest)
    #expect(Self.outcome(CURLE_UNSUPPORTED_PROTOCOL, handshake: true) == .other)
  }

  @Test func `reports a server as unreachable only if the network caused the error, and not this machine`() {
    #expect(Self.outcome(CURLE_COULDNT_CONNECT, error: ECONNREFUSED) == .refused)
    for number in [
      ENETUNREACH, EHOSTUNREACH, ETIMEDOUT, ENETDOWN, EHOSTDOWN, EACCES, EINVAL, ENONET, EPROTO, ENOPROTOOPT,
    ] {
      #expect(Self.outcome(CURLE_COULDNT_CONNECT, error: number) == .unreachable)
    }
    for number in [EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN, EPERM, EADDRINUSE, EADDRNOTAVAIL, 0] {
      #expect(Self.outcome(CURLE_COULDNT_CONNECT, error: number) == .ownMeans)
    }
    #expect(Self.outcome(CURLE_OUT_OF_MEMORY) == .ownMeans)
    let reach = Reach(error: EADDRNOTAVAIL, lacksAddress: true)
    #expect(FetchOutcome(CURLE_COULDNT_CONNECT, isTooLarge: false, reach) == .unreachable)
  }

  @Test func `does not report a server as unreachable once a connection was established`() {
    for number in UInt32(0)..<200 {
      #expect(
        !Self.outcome(CURLcode(number), connected: true, error: ECONNREFUSED).tellsOfAbsence
          || [CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY].contains(CURLcode(number)))
    }
    #expect(Self.outcome(CURLE_COULDNT_CONNECT, error: ECONNRESET) == .connectionLost)
    #expect(Self.outcome(CURLE_OPERATION_TIMEDOUT, connected: true) == .stalled)
    #expect(Self.outcome(CURLE_OPERATION_TIMEDOUT) == .timedOut)
  }

  @Test(arguments: [CURLE_RECV_ERROR, CURLE_COULDNT_CONNECT, CURLE_PROXY])
  func `a status of the proxy means only that it cannot reach the server, or that it refuses the request`(
    _ code: CURLcode
  ) {
    for status in 300..<600 {
      let outcome = Self.outcome(code, connected: true, proxy: status)
      #expect(outcome == ([502, 503, 504].contains(status) ? .unreachable : .proxyRefused))
      #expect(!outcome.tellsOfAbsence || outcome == .unreachable)
      #expect(Self.outcome(code, handshake: true, proxy: status) == .connectionLost)
    }
  }

  @Test func `reports every error about a certificate as a certificate that is refused`() {
    for code in [CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS] {
      #expect(Self.outcome(code) == .certificateRefused)
    }
  }
}
