import GRDB
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFServer

/// Texts that were confirmed, and what is left of them afterwards.
struct ConfirmedTextTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func confirmations(of username: String? = nil) async throws -> [ConfirmedText] {
    try await server.database.read { db in
      var all: [ConfirmedText] = []
      try ConfirmedTextStore(db: db).forEach(of: username) { all.append($0) }
      return all
    }
  }

  /// Asks for a text and has it confirmed as the server words it.
  private func confirm(_ text: String, by authenticator: FakeAuthenticator, counter: UInt32, as name: String)
    async throws
    -> Refusal?
  {
    var context = RequestContext(username: name)
    context.transaction = text
    let request = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
    let signed = String(decoding: try #require(request.transaction.first).content, as: UTF8.self)
    return try await server.respond(authenticator.authenticate(request, counter: counter, confirming: signed)).0
  }

  /// One confirmation as the server stored it.
  private func stored(_ text: String = "sudo id @ desk as root") async throws -> ConfirmedText {
    let alice = try await server.registered("alice")
    #expect(try await confirm(text, by: alice, counter: 1, as: "alice") == nil)
    let all = try await confirmations()
    return try #require(all.first)
  }

  @Test(arguments: [
    "sudo id @ desk as root", String(repeating: "long ", count: 400), "Überweisung \u{202E}5 €\n", #"a\b"#, "보고서를 보냅니다",
    String(repeating: "한글", count: 200),
  ])
  func `keeps what was confirmed so that it can be checked again`(_ text: String) async throws {
    let confirmation = try await stored(text)
    #expect(confirmation.username == "alice")
    #expect(confirmation.confirmedAt == server.now)
    #expect(confirmation.shown == TransactionText(sent: text)?.shown)
    #expect(ConfirmedTextCheck.fault(in: confirmation) == nil)
  }

  @Test func `keeps nothing of a login without a text, nor of one that was refused`() async throws {
    let alice = try await server.registered("alice")
    let plain = try await server.authenticationRequest("alice")
    #expect(try await server.respond(alice.authenticate(plain, counter: 1)).0 == nil)
    let other = try FakeAuthenticator(keyID: alice.keyID)
    #expect(try await confirm("sudo id", by: other, counter: 2, as: "alice") == .invalidSignature)
    // Confirmed with mode 1, or another text: not confirmed.
    var context = RequestContext(username: "alice")
    context.transaction = "sudo id"
    for text in [nil, "sudo su"] {
      let request = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
      let refusal = try await server.respond(alice.authenticate(request, counter: 3, confirming: text)).0
      #expect(refusal == .wrongTransaction)
    }
    #expect(try await confirmations().isEmpty)
  }

  @Test func `keeps it when the key is revoked or gone, and lists it by account`() async throws {
    let confirmation = try await stored()
    let bob = try await server.registered("bob")
    #expect(try await confirm("sudo ls", by: bob, counter: 1, as: "bob") == nil)
    let now = server.now
    try await server.database.write { db in
      _ = try CredentialStore(db: db).revokeAll(of: "alice", now: now)
      _ = try CredentialStore(db: db).removeAll(
        of: "alice", appID: server.identity.appID, deviceID: nil, aaid: nil)
    }
    #expect(try await confirmations(of: "alice") == [confirmation])
    #expect(try await confirmations().map(\.username) == ["alice", "bob"])
    #expect(try await confirmations(of: "carol").isEmpty)
  }

  private static func changed(
    _ confirmation: ConfirmedText, shown: String? = nil, fcParams: String? = nil, assertion: [UInt8]? = nil,
    publicKey: [UInt8]? = nil, signatureAlgorithm: UInt16? = nil
  ) -> ConfirmedText {
    ConfirmedText(
      id: confirmation.id, username: confirmation.username, confirmedAt: confirmation.confirmedAt,
      shown: shown ?? confirmation.shown, fcParams: fcParams ?? confirmation.fcParams,
      assertion: assertion ?? confirmation.assertion, publicKey: publicKey ?? confirmation.publicKey,
      signatureAlgorithm: signatureAlgorithm ?? confirmation.signatureAlgorithm)
  }

  @Test func `sees that a stored text, challenge or key was changed`() async throws {
    let stored = try await stored()
    let other = try FakeAuthenticator()
    let fault = ConfirmedTextCheck.fault
    #expect(fault(Self.changed(stored, shown: "sudo su @ desk as root")) == .otherText)
    #expect(fault(Self.changed(stored, shown: "")) == .unreadable)
    #expect(fault(Self.changed(stored, shown: "sudo\nid")) == .unreadable)
    #expect(fault(Self.changed(stored, fcParams: stored.fcParams + "A")) == .otherChallenge)
    #expect(fault(Self.changed(stored, publicKey: other.publicKey)) == .invalidSignature)
    #expect(fault(Self.changed(stored, publicKey: [])) == .invalidSignature)
    #expect(fault(Self.changed(stored, signatureAlgorithm: 2)) == .unreadable)
    #expect(fault(Self.changed(stored, assertion: [])) == .unreadable)
  }

  @Test func `sees every flipped bit of a stored assertion`() async throws {
    let stored = try await stored()
    for index in stored.assertion.indices {
      for bit in 0..<8 {
        var assertion = stored.assertion
        assertion[index] ^= 1 << UInt8(bit)
        #expect(ConfirmedTextCheck.fault(in: Self.changed(stored, assertion: assertion)) != nil, "\(index), \(bit)")
      }
    }
  }

  @Test func `is not fooled by a signature over a login without a text`() async throws {
    let alice = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    guard case .authentication(let response) = try alice.authenticate(request, counter: 1) else { return }
    let confirmation = ConfirmedText(
      username: "alice", confirmedAt: 0, shown: "sudo id", fcParams: response.fcParams,
      assertion: try #require(response.assertions.first).assertion, publicKey: alice.publicKey, signatureAlgorithm: 1)
    #expect(ConfirmedTextCheck.fault(in: confirmation) == .notConfirmed)
  }

  @Test func `prints a text as it was shown`() {
    let confirmation = ConfirmedText(
      id: 7, username: "mina", confirmedAt: 0, shown: #"mina@desk: sudo echo '\\' "x""#, fcParams: "", assertion: [],
      publicKey: [], signatureAlgorithm: 1)
    #expect(
      AuditVerifyCommand.line(confirmation, nil)
        == "7\t1970-01-01T00:00:00Z\tmina\tok\tmina@desk: sudo echo '\\\\' \"x\"")
  }

  @Test func `prints letters as letters, and what only looks like them as it would print no other text`() {
    #expect(AuditVerifyCommand.text("mina@desk: sudo: cat '보고서.txt'") == "mina@desk: sudo: cat '보고서.txt'")
    #expect(AuditVerifyCommand.text("a\u{202E}b") == #""a\u{202e}b""#)
    #expect(AuditVerifyCommand.text("e\u{301}") == #""e\u{301}""#)
  }

  @Test func `shows one of them whole, with what was signed and by which key`() async throws {
    let long = "mina@desk: sudo " + String(repeating: "x", count: 300)
    let confirmation = try await stored(long)
    let found = try await server.database.read { db in try ConfirmedTextStore(db: db).confirmation(confirmation.id) }
    #expect(found == confirmation)
    let signed = try #require(try TransactionText(sent: long)?.signed(hash: SHA256.hash))
    let key = Base64URL.encode(try SHA256.hash(confirmation.publicKey))
    let lines = AuditShowCommand.lines(confirmation, nil)
    #expect(
      lines.suffix(5) == [
        "account    alice", "text       \(long)", "signed     \(signed)", "key        SHA-256 \(key)", "signature  ok",
      ])
    #expect((80...200).contains(signed.utf8.count) && signed.hasPrefix("mina@desk: sudo xx"))
  }

  @Test func `shows nothing for a number that no text has`() async throws {
    let number = try await stored().id + 1
    let found = try await server.database.read { db in try ConfirmedTextStore(db: db).confirmation(number) }
    #expect(found == nil)
  }

  @Test func `shows what is wrong, and steers no terminal with it`() {
    let confirmation = ConfirmedText(
      id: 7, username: "al\u{1B}ice", confirmedAt: 0, shown: "a\tb\u{1B}[2J", fcParams: "", assertion: [],
      publicKey: [1], signatureAlgorithm: 1)
    let lines = AuditShowCommand.lines(confirmation, .otherText)
    #expect(lines.last == "signature  another text was signed")
    let isPlain = lines.joined().utf8.allSatisfy { (0x20...0x7E).contains($0) }
    #expect(isPlain && lines.contains(#"text       "a\u{9}b\u{1b}[2J""#))
  }

  @Test func `prints one line that steers no terminal`() {
    let confirmation = ConfirmedText(
      id: 7, username: "al\u{1B}ice", confirmedAt: 0, shown: "a\tb\u{1B}[2J", fcParams: "", assertion: [],
      publicKey: [],
      signatureAlgorithm: 1)
    let line = AuditVerifyCommand.line(confirmation, .otherText)
    #expect(
      line == "7\t1970-01-01T00:00:00Z\t\"al\\u{1b}ice\"\tanother text was signed\t\"a\\u{9}b\\u{1b}[2J\"")
  }
}
