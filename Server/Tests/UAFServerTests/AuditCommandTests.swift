import Testing
import UAFCrypto
import UAFMessages
import UAFService

@testable import UAFServer

/// What `uaf-server audit texts` and `show` print.
struct AuditCommandTests {
  @Test func `'audit texts' prints a confirmed text as the person was shown it`() {
    let confirmation = ConfirmedText(
      id: 7, username: "mina", confirmedAt: 0, shown: #"mina@desk: sudo echo '\\' "x""#, fcParams: "", assertion: [],
      publicKey: [], signatureAlgorithm: 1)
    #expect(
      AuditTextsCommand.line(confirmation, nil)
        == "7\t1970-01-01T00:00:00Z\tmina\tok\tmina@desk: sudo echo '\\\\' \"x\"")
  }

  @Test func `'audit texts' prints letters unchanged, and escapes lookalike characters`() {
    #expect(AuditTextsCommand.text("mina@desk: sudo: cat '보고서.txt'") == "mina@desk: sudo: cat '보고서.txt'")
    #expect(AuditTextsCommand.text("a\u{202E}b") == #""a\u{202e}b""#)
    #expect(AuditTextsCommand.text("e\u{301}") == #""e\u{301}""#)
  }

  @Test func `'audit show' shows a whole confirmed text, with what was signed and by which key`() throws {
    let long = "mina@desk: sudo " + String(repeating: "x", count: 300)
    let confirmation = ConfirmedText(
      id: 7, username: "alice", confirmedAt: 0, shown: long, fcParams: "", assertion: [], publicKey: [4, 5],
      signatureAlgorithm: 1)
    let signed = try #require(try TransactionText(sent: long)?.signed(hash: SHA256.hash))
    let key = Base64URL.encode(try SHA256.hash(confirmation.publicKey))
    let lines = AuditShowCommand.lines(confirmation, nil)
    #expect(
      lines.suffix(5) == [
        "account    alice", "text       \(long)", "signed     \(signed)", "key        SHA-256 \(key)", "signature  ok",
      ])
    #expect((80...200).contains(signed.utf8.count) && signed.hasPrefix("mina@desk: sudo xx"))
  }

  @Test func `'audit show' says what is wrong with a confirmed text, without terminal control characters`() {
    let confirmation = ConfirmedText(
      id: 7, username: "al\u{1B}ice", confirmedAt: 0, shown: "a\tb\u{1B}[2J", fcParams: "", assertion: [],
      publicKey: [1], signatureAlgorithm: 1)
    let lines = AuditShowCommand.lines(confirmation, .otherText)
    #expect(lines.last == "signature  a different text was signed")
    let isPlain = lines.joined().utf8.allSatisfy { (0x20...0x7E).contains($0) }
    #expect(isPlain && lines.contains(#"text       "a\u{9}b\u{1b}[2J""#))
  }

  @Test func `'audit texts' prints a confirmed text on one line without terminal control characters`() {
    let confirmation = ConfirmedText(
      id: 7, username: "al\u{1B}ice", confirmedAt: 0, shown: "a\tb\u{1B}[2J", fcParams: "", assertion: [],
      publicKey: [],
      signatureAlgorithm: 1)
    let line = AuditTextsCommand.line(confirmation, .otherText)
    #expect(
      line == "7\t1970-01-01T00:00:00Z\t\"al\\u{1b}ice\"\ta different text was signed\t\"a\\u{9}b\\u{1b}[2J\"")
  }
}
