import FidoResults
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFClient

/// A challenge states its purpose, and a key signs only the challenge of the purpose that the client requested.
@Suite struct PurposeTests {
  private static var demanding: ClientSettings {
    var settings = Scene.settings
    settings.demandsPurpose = true
    return settings
  }

  private static func context(_ change: (inout RequestContext) -> Void = { _ in }) -> RequestContext {
    var context = Scene.settings.context(username: "alice")
    change(&context)
    return context
  }

  private static func challenge(
    _ purpose: ChallengePurpose, _ context: RequestContext = context(), text: String? = nil
  ) throws -> ServerChallenge {
    let statement = PurposedChallenge.statement(purpose, context: context.jsonText, text: text)
    return try PurposedChallenge(
      purpose, hash: SHA256.hash(statement), unique: [UInt8](repeating: 5, count: 32)
    ).challenge
  }

  private static func request(
    _ challenge: ServerChallenge, text: String? = nil
  ) throws -> ScriptedTransport.Exchange {
    Scene.returning(
      .authentication(
        AuthenticationRequest(
          header: Scene.header(.authentication), challenge: challenge,
          transaction: try text.map { [try Transaction(text: $0)] } ?? [],
          policy: Policy(accepted: [[MatchCriteria(aaid: try Scene.aaid(), keyIDs: [try Scene.keyID()])]]))))
  }

  /// Runs the flow until the server has offered a challenge.
  private func offered(
    _ flow: AuthenticationFlow, _ challenge: ServerChallenge, text: String? = nil
  ) throws -> (AuthenticationFlow, ScriptedTransport) {
    var flow = flow
    var transport = ScriptedTransport(
      try Self.request(challenge, text: text), Scene.facets(),
      .answering(
        Scene.respond,
        Scene.uaf(
          ServerResponse(statusCode: .ok, additionalTokens: [Token(type: Token.jwt, value: "token")]).json)))
    try flow.start(over: &transport)
    _ = try flow.collect(over: &transport, among: [Scene.authenticator()])
    return (flow, transport)
  }

  private func login(_ settings: ClientSettings = demanding, proof: ProofSubject? = nil) -> AuthenticationFlow {
    AuthenticationFlow(settings: settings, username: "alice", proof: proof)
  }

  @Test func `signs a challenge of the requested purpose, and reports the purpose with the success`() throws {
    var (flow, transport) = try offered(login(), Self.challenge(.login))
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    let acceptance = try accepted(flow.send(over: &transport))
    #expect(acceptance.expected.purpose == .login)
    #expect(try acceptance.expected.keyIDs == [Scene.keyID()])
    #expect(acceptance.expected.textHash == nil && acceptance.token == "token")
  }

  @Test func `the service is in the request and again in the answer, and a challenge for a different one is refused`()
    throws
  {
    var settings = Self.demanding
    settings.service = PAMServiceName("sudo")
    let asked = Self.context { $0.service = PAMServiceName("sudo") }
    var (flow, transport) = try offered(login(settings), Self.challenge(.login, asked))
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    _ = try accepted(flow.send(over: &transport))
    let question = try GetUAFRequest(parsing: try #require(transport.requests.first).body)
    let answer = try SendUAFResponse(parsing: try #require(transport.requests.last).body)
    #expect(question.context == asked.jsonText && answer.context == asked.jsonText)
    for other in [PAMServiceName("sshd"), nil] {
      _ = refusal(.invalidParameter, byServer: true) {
        _ = try offered(login(settings), Self.challenge(.login, Self.context { $0.service = other }))
      }
    }
  }

  @Test(arguments: ChallengePurpose.allCases.filter { $0 != .login })
  func `in a login refuses a challenge of any other purpose`(purpose: ChallengePurpose) throws {
    // An attacker on the network has requested this challenge from the server, with the context of this login.
    for settings in [Scene.settings, Self.demanding] {
      let refusal = refusal(.invalidParameter, byServer: true) {
        _ = try offered(login(settings), Self.challenge(purpose))
      }
      #expect(refusal?.detail.contains("for a different purpose from the one requested: \(purpose.word)") == true)
    }
  }

  @Test func `refuses a challenge that was made for a different account, machine, proof or request`() throws {
    let others = [
      Self.context { $0.deviceID = "d2" }, Self.context { $0.proofFor = .registration },
      Self.context { $0.deviceName = "ceo-laptop" }, RequestContext(username: "alice"),
      Self.context { $0.deregisterAll = true }, RequestContext(username: "bob"),
    ]
    for other in others {
      let refusal = refusal(.invalidParameter, byServer: true) {
        _ = try offered(login(), Self.challenge(.login, other))
      }
      #expect(refusal?.detail.contains("from the one requested") == true)
    }
  }

  @Test func `refuses a challenge without a purpose only if root's server is known to tag its challenges`() throws {
    _ = refusal(.invalidParameter, byServer: true) { _ = try offered(login(), Scene.challenge()) }
    _ = try offered(login(Scene.settings), Scene.challenge())
  }

  @Test func `refuses a purpose tag in an unknown format from any server`() throws {
    for length in [9, 40, 64] {
      let bytes = Array(("pam-uaf" + String(repeating: "\u{2}", count: 60)).utf8.prefix(length))
      for settings in [Scene.settings, Self.demanding] {
        _ = refusal(.invalidParameter, byServer: true) {
          _ = try offered(login(settings), ServerChallenge(bytes: bytes))
        }
      }
    }
  }

  @Test func `for a proof, signs only a challenge of the proof's own purpose and for the keys in question`() throws {
    let keyIDs = [try Scene.keyID(1), try Scene.keyID(2)]
    let removal = ProofSubject.removal(.all, keyIDs: keyIDs)
    let asked = Self.context {
      $0.proofFor = .deregistration
      $0.deregisterAll = true
      $0.deregisterKeyIDs = keyIDs
    }
    _ = try offered(login(proof: removal), Self.challenge(.removal, asked))
    let further = Self.context { $0.proofFor = .registration }
    _ = try offered(login(proof: .furtherKeys), Self.challenge(.furtherKeys, further))
    for challenge in [
      try Self.challenge(.furtherKeys, further), try Self.challenge(.login),
      try Self.challenge(
        .removal,
        Self.context {
          $0.proofFor = .deregistration
          $0.deregisterAll = true
          $0.deregisterKeyIDs = [keyIDs[0]]
        }),
    ] {
      _ = refusal(.invalidParameter, byServer: true) { _ = try offered(login(proof: removal), challenge) }
    }
  }

  @Test
  func `at a server of a different maker a proof verifies the person, and the server's token is not kept`() throws {
    var (flow, transport) = try offered(login(Scene.settings, proof: .furtherKeys), Scene.challenge())
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    let acceptance = try accepted(flow.send(over: &transport))
    #expect(acceptance.tokens.isEmpty && acceptance.token == nil)
  }

  @Test(arguments: [ChallengePurpose.approval, .consoleSignIn, .consoleStep])
  func `an approval signs only a challenge for its own code and text`(purpose: ChallengePurpose) throws {
    let flow = AuthenticationFlow(settings: Self.demanding, username: "alice", approving: "code")
    let asked = Self.context { $0.authCode = "code" }
    var (signing, transport) = try offered(flow, Self.challenge(purpose, asked, text: "Pay 5"), text: "Pay 5")
    var signer = try TestAuthenticator()
    try signing.sign(with: &signer)
    let acceptance = try accepted(signing.send(over: &transport))
    #expect(acceptance.expected.textHash == (try SHA256.hash(Array("Pay 5".utf8))))
    // A challenge for a different code, one for a different text, and one that is for no approval.
    for (challenge, text) in [
      (try Self.challenge(purpose, Self.context { $0.authCode = "other" }, text: "Pay 5"), "Pay 5"),
      (try Self.challenge(purpose, asked, text: "Pay 5"), "Pay 500"), (try Self.challenge(.login, asked), "Pay 5"),
      (try Self.challenge(purpose, asked), "Pay 5"),
    ] {
      _ = refusal(.invalidParameter, byServer: true) { _ = try offered(flow, challenge, text: text) }
    }
  }

  @Test func `a challenge is signed only if it was made for the transaction text that the client sent`() throws {
    let text = try #require(TransactionText(sent: "sudo on desk: id"))
    let flow = AuthenticationFlow(settings: Self.demanding, username: "alice", transaction: text)
    let asked = Self.context { $0.transaction = text.shown }
    _ = try offered(flow, Self.challenge(.text, asked), text: text.shown)
    for challenge in [
      try Self.challenge(.login), try Self.challenge(.login, asked),
      try Self.challenge(.text, Self.context { $0.transaction = "sudo on desk: sh" }),
      try Self.challenge(.approval, asked, text: text.shown),
    ] {
      _ = refusal(.invalidParameter, byServer: true) { _ = try offered(flow, challenge, text: text.shown) }
    }
  }

  @Test func `signs no further request of a server that tags its challenges with a purpose`() throws {
    for settings in [Scene.settings, Self.demanding] {
      var flow = login(settings)
      let further = UAFRequest.text(of: [
        .authentication(
          AuthenticationRequest(
            header: Scene.header(.authentication), challenge: try Self.challenge(.login),
            policy: Policy(accepted: [[MatchCriteria(aaid: try Scene.aaid(), keyIDs: [try Scene.keyID()])]])))
      ])
      var transport = ScriptedTransport(
        try Self.request(Self.challenge(.login)), Scene.facets(),
        .answering(Scene.respond, Scene.uaf(ServerResponse(statusCode: .ok, newUAFRequest: further).json)),
        Scene.facets())
      try flow.start(over: &transport)
      _ = try flow.collect(over: &transport, among: [Scene.authenticator()])
      var signer = try TestAuthenticator()
      try flow.sign(with: &signer)
      #expect(try flow.send(over: &transport) == .furtherRequest)
      _ = refusal(.invalidParameter, byServer: true) {
        _ = try flow.collect(over: &transport, among: [Scene.authenticator()])
      }
    }
  }
}
