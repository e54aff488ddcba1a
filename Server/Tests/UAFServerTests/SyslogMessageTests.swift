import Testing
import UAFService

@testable import UAFServer

/// An audit row as a message of RFC 5424.
@Suite struct SyslogMessageTests {
  private static func row(
    _ kind: AuditKind = .login, outcome: String = "ok", account: String = "mina", detail: String = ""
  ) -> AuditRow {
    AuditRow(
      link: AuditLink(number: 7, hash: [UInt8](repeating: 1, count: 32)),
      event: AuditEntry(
        time: 1_800_000_000, kind: kind, outcome: outcome, account: account, actor: .person, detail: detail))
  }

  @Test func `a syslog message has a header, structured data, and the hash of the audit row`() {
    #expect(
      SyslogMessage.text(Self.row(), host: "uaf1")
        == "<109>1 2027-01-15T08:00:00Z uaf1 uaf-server - login [uafAudit@32473 number=\"7\" "
        + "hash=\"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE\" kind=\"login\" outcome=\"ok\" account=\"mina\" "
        + "actor=\"person\"]")
  }

  @Test func `the frame of a syslog message begins with the message's length in bytes`() throws {
    let frame = SyslogMessage.frame(Self.row(account: "민아"), host: "uaf1")
    let space = try #require(frame.firstIndex(of: UInt8(ascii: " ")))
    let length = Int(String(decoding: frame[..<space], as: UTF8.self))
    #expect(length == frame.count - space - 1)
  }

  @Test func `no value in a syslog message can end its parameter, the structured data or the line`() {
    let text = SyslogMessage.text(
      Self.row(account: "a\"] b\\\n<0>1 - - - -\u{85}\u{2028}\u{7F}c", detail: #"{"a":"]"}"#), host: "uaf1")
    #expect(text.contains(#"account="a\"\] b\\"# + "[U+000A\\]<0>1 - - - -[U+0085\\][U+2028\\][U+007F\\]c\""))
    #expect(text.hasSuffix(#"detail="{\"a\":\"\]\"}"]"#))
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 })
  }

  @Test(arguments: ["\u{202E}", "\u{2066}", "\u{200B}", "\u{FEFF}", "\u{E0041}", "\r\n", "\u{1}"])
  func `no value in a syslog message hides or reverses the text around it`(hidden: String) {
    let text = SyslogMessage.text(Self.row(account: "a\(hidden)b"), host: "h\(hidden)")
    #expect(text.contains("account=\"a[U+") && text.contains(" h uaf-server "))
    for scalar in hidden.unicodeScalars { #expect(!text.unicodeScalars.contains(scalar)) }
  }

  @Test(arguments: [("ok", 109), ("counter-not-increased", 108)])
  func `a syslog message about a refusal is a warning`(outcome: String, priority: Int) {
    #expect(SyslogMessage.text(Self.row(outcome: outcome), host: "a").hasPrefix("<\(priority)>1 "))
  }

  @Test func `a syslog message about a broken audit is critical, whatever the host's name is`() {
    let text = SyslogMessage.text(Self.row(.broken, outcome: "changed"), host: "a b\n")
    #expect(text.hasPrefix("<106>1 2027-01-15T08:00:00Z ab uaf-server - audit-broken ["))
    #expect(SyslogMessage.text(Self.row(), host: "").contains("Z - uaf-server"))
  }
}
