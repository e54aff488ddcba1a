import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// The kind of a text to confirm: its first words name the author, and no other author can write them.
@Suite struct TextKindTests {
  private static let step = "Console: Give mallory the role administrator, code 4711"

  @Test func `the kind of each text is recognised by its first words`() {
    #expect(TextKind(of: TextKind.signIn(host: "uaf.test", username: "mina", number: "0042")) == .signIn)
    #expect(TextKind.step("Delete account bob, code 0042").flatMap(TextKind.init(of:)) == .step)
    #expect(TextKind.approval("Pay 5", of: "mina", by: "token till").flatMap(TextKind.init(of:)) == .approval)
    #expect(TextKind(of: "mina@desk: sudo: id") == .machine)
  }

  @Test(arguments: [
    "", "id", "sudo id", "mina@desk", "mina@desk:", "mina@desk sudo: id", " mina@desk: id", "@desk: id",
    "mina desk: id",
    "Console", "console: id", " Console: id", "Asked", "asked of mina: id", "Consolе: id",
  ]) func `a text whose first words do not name its author has no kind`(text: String) {
    #expect(TextKind(of: text) == nil)
  }

  @Test(arguments: [
    step, "Console sign-in: uaf-server at uaf.test as mina, code 4711", "mina@desk: sudo: id", "\n\(step)", "\r\(step)",
    "\u{2028}\(step)", "\u{202E}\(step)", "pay 5\n\n\(step)", "pay 5\(String(repeating: " ", count: 20))\(step)",
    "Asked of mina by root at the server: pay",
  ]) func `an approval's text names on one line the person who asks, before that person's own words`(words: String)
    throws
  {
    let text = try #require(TextKind.approval(words, of: "mina", by: "token helpdesk"))
    #expect(text.utf8.starts(with: "Asked of mina by token helpdesk: ".utf8) && TextKind(of: text) == .approval)
    #expect(TransactionText.isShowable(text) && !text.contains("  ") && text.utf8.count <= 200)
    #expect(TransactionText(sent: text)?.shown == text)
  }

  @Test
  func `an approval's text has at most 200 bytes including the name of who asks, and at least one word of its own`() {
    let opening = "Asked of mina by token till: ".utf8.count
    let longest = String(repeating: "a", count: 200 - opening)
    #expect(TextKind.approval(longest, of: "mina", by: "token till")?.utf8.count == 200)
    #expect(TextKind.approval(longest + "a", of: "mina", by: "token till") == nil)
    #expect(TextKind.approval("", of: "mina", by: "token till") == nil)
    #expect(TextKind.step(String(repeating: "a", count: 192)) == nil)
  }

  @Test
  func `a long name leaves room for the text, and two names that differ only in backslashes give two different texts`()
    throws
  {
    let name = String(repeating: "m", count: 128)
    let text = try #require(TextKind.approval("Pay 5", of: name, by: "token \(name)"))
    #expect(text.hasSuffix("mmm...: Pay 5") && text.hasPrefix("Asked of mmm"))
    for name in [name, String(repeating: "\\", count: 128)] {
      let text = TextKind.signIn(host: name, username: name, number: "0042")
      #expect(text.utf8.count <= 200 && text.hasSuffix("..., code 0042"))
      #expect(TransactionText(sent: text)?.shown == text)
    }
    let texts = [#"a\b"#, #"a\\b"#].map { TextKind.signIn(host: "h", username: $0, number: "0042") }
    #expect(texts[0] != texts[1])
    #expect(TextKind.step(#"Delete account a\b"#) != TextKind.step(#"Delete account a\\b"#))
  }

  // MARK: At the server

  @Test(arguments: [
    step, "Console sign-in: uaf-server at uaf.test as alice, code 4711", "Asked of alice by root at the server: pay",
    "sudo id", "Соոѕоӏе: id", " alice@desk: id",
  ]) func `a machine's text that does not begin with account and host is refused for any account`(text: String)
    async throws
  {
    let server = try TestServer()
    _ = try await server.registered("alice")
    for name in ["alice", "nobody"] {
      var context = RequestContext(username: name)
      context.transaction = text
      #expect(try await server.get(.authentication, context).statusCode == .unacceptableContent)
    }
  }

  @Test func `a waiting text from an earlier version, which does not say who asks, can neither be shown nor denied`()
    async throws
  {
    let server = try TestServer()
    _ = try await server.registered("alice")
    let expires = server.now + 60
    _ = try await server.store.write {
      try $0.approvals.open(Self.step, code: "code", for: "alice", expiresAt: expires)
    }
    var context = RequestContext(username: "alice")
    context.authCode = "code"
    #expect(try await server.get(.authentication, context).statusCode == .unauthorized)
    context.denies = true
    #expect(try await server.get(.authentication, context).statusCode == .unauthorized)
  }

  @Test func `the audit contains the kind of a confirmed text`() async throws {
    let server = try TestServer()
    let alice = try await server.registered("alice")
    var context = RequestContext(username: "alice")
    context.transaction = "alice@desk: sudo: id"
    let request = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
    let answer = try alice.authenticate(request, counter: 1, confirming: "alice@desk: sudo: id")
    #expect(try await server.respond(answer).0 == nil)
    let row = try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 100).last?.event }
    #expect(row?.detail.contains(#""kind":"machine""#) == true)
  }
}
