import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// Confirmed texts, and what the store keeps of them.
@Suite(.onEachStore) struct ConfirmedTextTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func confirmations(of username: String? = nil) async throws -> [ConfirmedText] {
    try await server.store.read { records in
      var all: [ConfirmedText] = []
      try records.confirmedTexts.forEach(of: username) { all.append($0) }
      return all
    }
  }

  /// Requests the confirmation of a text and confirms it in the form that the server has given it.
  private func confirm(_ text: String, by authenticator: FakeAuthenticator, counter: UInt32, as name: String)
    async throws
    -> ServiceRefusal?
  {
    var context = RequestContext(username: name)
    context.transaction = text
    let request = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
    let signed = String(decoding: try #require(request.transaction.first).content, as: UTF8.self)
    return try await server.respond(
      authenticator.authenticate(request, counter: counter, confirming: signed), username: name, sendingAgain: text
    ).0
  }

  /// A confirmation as the server has stored it.
  private func stored(_ text: String = "alice@desk: sudo id") async throws -> ConfirmedText {
    let alice = try await server.registered("alice")
    #expect(try await confirm(text, by: alice, counter: 1, as: "alice") == nil)
    let all = try await confirmations()
    return try #require(all.first)
  }

  @Test(arguments: [
    "alice@desk: sudo id", "a@d: " + String(repeating: "long ", count: 400), "a@d: Überweisung \u{202E}5 €\n",
    #"a@d: a\b"#,
    "a@d: 보고서를 보냅니다", "a@d: " + String(repeating: "한글", count: 200),
  ])
  func `a confirmed text is kept so that it can be verified again`(_ text: String) async throws {
    let confirmation = try await stored(text)
    #expect(confirmation.username == "alice")
    #expect(confirmation.confirmedAt == server.now)
    #expect(confirmation.shown == TransactionText(sent: text)?.shown)
    #expect(ConfirmedTextCheck.fault(in: confirmation) == nil)
  }

  @Test func `nothing is stored about a login without a text, or about a refused login`() async throws {
    let alice = try await server.registered("alice")
    let plain = try await server.authenticationRequest("alice")
    #expect(try await server.respond(alice.authenticate(plain, counter: 1)).0 == nil)
    let other = try FakeAuthenticator(keyID: alice.keyID)
    #expect(try await confirm("alice@desk: sudo id", by: other, counter: 2, as: "alice") == .invalidSignature)
    // A signature without a confirmation (mode 1) or over a different text confirms nothing.
    var context = RequestContext(username: "alice")
    context.transaction = "alice@desk: sudo id"
    for text in [nil, "alice@desk: sudo su"] {
      let request = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
      let refusal = try await server.respond(alice.authenticate(request, counter: 3, confirming: text)).0
      #expect(refusal == .wrongTransaction)
    }
    #expect(try await confirmations().isEmpty)
  }

  @Test func `a confirmed text is kept after the key is revoked or deleted, and is listed by account`() async throws {
    let confirmation = try await stored()
    let bob = try await server.registered("bob")
    #expect(try await confirm("bob@desk: sudo ls", by: bob, counter: 1, as: "bob") == nil)
    let now = server.now
    try await server.store.write { records in
      _ = try records.credentials.revokeAll(of: "alice", now: now)
      _ = try records.credentials.removeAll(
        of: "alice", appID: server.identity.appID, deviceID: nil, aaid: nil, keyIDs: [])
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

  @Test func `verification notices that a stored text, challenge or key was changed`() async throws {
    let stored = try await stored()
    let other = try FakeAuthenticator()
    let fault = ConfirmedTextCheck.fault
    #expect(fault(Self.changed(stored, shown: "alice@desk: sudo su")) == .otherText)
    #expect(fault(Self.changed(stored, shown: "")) == .unreadable)
    #expect(fault(Self.changed(stored, shown: "sudo\nid")) == .unreadable)
    #expect(fault(Self.changed(stored, fcParams: stored.fcParams + "A")) == .otherChallenge)
    #expect(fault(Self.changed(stored, publicKey: other.publicKey)) == .invalidSignature)
    #expect(fault(Self.changed(stored, publicKey: [])) == .invalidSignature)
    #expect(fault(Self.changed(stored, signatureAlgorithm: 2)) == .unreadable)
    #expect(fault(Self.changed(stored, assertion: [])) == .unreadable)
  }

  @Test func `verification notices every flipped bit of a stored assertion`() async throws {
    let stored = try await stored()
    for index in stored.assertion.indices {
      for bit in 0..<8 {
        var assertion = stored.assertion
        assertion[index] ^= 1 << UInt8(bit)
        #expect(ConfirmedTextCheck.fault(in: Self.changed(stored, assertion: assertion)) != nil, "\(index), \(bit)")
      }
    }
  }

  @Test func `verification does not accept the signature of a login without a text as a confirmation`() async throws {
    let alice = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    guard case .authentication(let response) = try alice.authenticate(request, counter: 1) else { return }
    let confirmation = ConfirmedText(
      username: "alice", confirmedAt: 0, shown: "sudo id", fcParams: response.fcParams,
      assertion: try #require(response.assertions.first).assertion, publicKey: alice.publicKey, signatureAlgorithm: 1)
    #expect(ConfirmedTextCheck.fault(in: confirmation) == .notConfirmed)
  }

  @Test func `finds a confirmed text by its number`() async throws {
    let confirmation = try await stored("mina@desk: sudo " + String(repeating: "x", count: 300))
    let found = try await server.store.read { records in try records.confirmedTexts.confirmation(confirmation.id) }
    #expect(found == confirmation)
  }

  @Test func `no confirmed text is found by a number that no text has`() async throws {
    let number = try await stored().id + 1
    let found = try await server.store.read { records in try records.confirmedTexts.confirmation(number) }
    #expect(found == nil)
  }
}
