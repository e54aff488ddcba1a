import CCurl
import Testing
import UAFWire

@testable import UAFFetch

/// The table from libcurl's codes to outcomes.
struct FetchOutcomeTests {
  private static func outcome(_ code: CURLcode, tooLarge: Bool = false, handshake: Bool = false) -> FetchOutcome {
    FetchOutcome(code, isTooLarge: tooLarge, handshakeCompleted: handshake)
  }

  @Test func `takes nothing but success for an answer`() {
    for number in UInt32(0)..<200 {
      for handshake in [false, true] {
        let outcome = Self.outcome(CURLcode(number), tooLarge: handshake, handshake: handshake)
        #expect((outcome == .answered) == (number == 0))
      }
    }
  }

  @Test func `tells a broken-off transfer by its reason`() {
    #expect(Self.outcome(CURLE_WRITE_ERROR, tooLarge: true) == .tooLarge)
    #expect(Self.outcome(CURLE_WRITE_ERROR) == .other)
  }

  @Test func `tells an unknown scheme from an answer that is not HTTP`() {
    #expect(Self.outcome(CURLE_UNSUPPORTED_PROTOCOL) == .unacceptableRequest)
    #expect(Self.outcome(CURLE_UNSUPPORTED_PROTOCOL, handshake: true) == .other)
  }

  @Test func `takes every doubt about a certificate for a refusal of it`() {
    for code in [CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS] {
      #expect(Self.outcome(code) == .certificateRefused)
    }
  }
}
