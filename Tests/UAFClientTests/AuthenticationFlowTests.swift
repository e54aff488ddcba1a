import FidoResults
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFClient

@Suite struct AuthenticationFlowTests {
  private func flow(_ transaction: String? = nil, username: String = "alice") -> AuthenticationFlow {
    AuthenticationFlow(
      settings: Scene.settings, username: username, transaction: transaction.flatMap { TransactionText(sent: $0) })
  }

  /// Sends the request and collects its answer.
  @discardableResult
  private func opened(
    _ flow: inout AuthenticationFlow, _ transport: inout ScriptedTransport,
    among authenticators: [AuthenticatorDescription]? = nil
  ) throws -> AuthenticationOffer {
    try flow.start(over: &transport)
    return try flow.collect(over: &transport, among: authenticators ?? [Scene.authenticator()])
  }

  /// Runs the whole flow with the passcode authenticator.
  private func run(_ transport: inout ScriptedTransport, _ transaction: String? = nil) throws -> Acceptance {
    var flow = flow(transaction)
    try opened(&flow, &transport)
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    return try accepted(flow.send(over: &transport))
  }

  // MARK: Accepted

  @Test func `a login sends the request, signs the challenge, and returns the server's token`() throws {
    let yes = ServerResponse(
      statusCode: .ok, additionalTokens: [Token(type: "OAUTH", value: "x"), Token(type: "JWT", value: "a.b.c")])
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication()), Scene.facets(), .answering(Scene.respond, Scene.uaf(yes.json)))
    var flow = flow()
    let offer = try opened(&flow, &transport)
    #expect(offer.sets.map { $0.map(\.aaid) } == [[try Scene.aaid()]])
    #expect(offer.appID == Scene.appID && offer.lifetimeMilliseconds == 60_000 && offer.transaction == nil)
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    let acceptance = try accepted(flow.send(over: &transport))
    #expect(acceptance.token == "a.b.c")
    #expect(!"\(acceptance)".contains("a.b.c"))
    #expect(transport.isUsedUp)

    let question = transport.requests[0]
    #expect(question.method == .post && question.contentType == "application/fido+uaf; charset=utf-8")
    #expect(question.accept == "application/fido+uaf")
    let asked = try GetUAFRequest(parsing: question.body)
    let context = try RequestContext(parsing: asked.context ?? "")
    #expect(asked.op == .authentication && context.username == "alice" && context.deviceName == "host")
    #expect(context.proofFor == nil && context.proof == nil && context.authCode == nil)
    #expect(context.deviceID == "d1" && context.deviceModel == "m" && context.deviceOS == "Debian 12")
    let list = transport.requests[1]
    #expect(list.method == .get && list.body.isEmpty && list.accept == "application/fido.trusted-apps+json")

    let sent = try SendUAFResponse(parsing: transport.requests[2].body)
    guard case .authentication(let response) = try UAFResponse(parsing: sent.uafResponse) else {
      Issue.record("not an authentication response")
      return
    }
    #expect(response.header == Scene.header(.authentication))
    let parameters = try FinalChallengeParams(encoded: response.fcParams)
    #expect(parameters.appID == Scene.appID && parameters.facetID == Scene.facetID)
    #expect(parameters.challenge == (try Scene.challenge().text))
    #expect(parameters.channelBinding.tlsServerCertificate == Base64URL.encode(Scene.certificate))
    #expect(parameters.channelBinding.serverEndPoint == Base64URL.encode(try SHA256.hash(Scene.certificate)))
    let envelope = try #require(response.assertions.first)
    let assertion = try UnverifiedAuthenticationAssertion(parsing: envelope.assertion)
    #expect(
      response.assertions.count == 1 && assertion.signCounter == 5 && assertion.authenticationMode == .userVerified)
    #expect(assertion.finalChallengeHash == (try SHA256.hash(Array(response.fcParams.utf8))))
    let isValid = P256.isValidSignature(
      assertion.signature, of: assertion.signedBytes, publicKey: signer.publicKey)
    #expect(isValid)
  }

  @Test(arguments: [nil, "", Scene.facetID]) func `if the request names no AppID, the client uses its own FacetID`(
    _ appID: String?
  ) throws {
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication(appID: appID)), Scene.verdict(1200))
    var flow = flow()
    let offer = try opened(&flow, &transport, among: [Scene.authenticator(appID: Scene.facetID)])
    #expect(offer.appID == Scene.facetID)
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    let acceptance = try accepted(flow.send(over: &transport))
    #expect(acceptance.tokens.isEmpty && acceptance.token == nil && transport.isUsedUp)
  }

  @Test func `if the transport knows no server certificate, the channel binding is empty`() throws {
    let request = ReturnUAFRequest(
      statusCode: .ok, uafRequest: UAFRequest.text(of: [try Scene.authentication(appID: nil)]))
    let bare = TransportResponse(status: 200, contentType: "Application/JSON", body: request.jsonBytes)
    var transport = ScriptedTransport(.answering(Scene.get, bare), Scene.verdict(1200))
    var flow = flow()
    try opened(&flow, &transport, among: [Scene.authenticator(appID: Scene.facetID)])
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    _ = try flow.send(over: &transport)
    let sent = try SendUAFResponse(parsing: transport.requests[1].body)
    let parameters = try FinalChallengeParams(encoded: UAFResponse(parsing: sent.uafResponse).fcParams)
    #expect(parameters.channelBinding == ChannelBinding())
  }

  @Test func `both authenticators sign if the policy demands two authenticators together`() throws {
    let other = try AAID("EBA0#0002")
    let policy = Policy(accepted: [[MatchCriteria(aaid: try Scene.aaid()), MatchCriteria(aaid: other)]])
    let pattern = AuthenticatorDescription(
      aaid: other, userVerification: UserVerification.pattern,
      registrations: [.init(appID: Scene.appID, keyIDs: [try Scene.keyID(8)])])
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication(policy: policy)), Scene.facets(), Scene.verdict(1200))
    var flow = flow()
    let offer = try opened(&flow, &transport, among: [Scene.authenticator(), pattern])
    #expect(offer.sets.count == 1 && offer.sets[0].count == 2)
    var first = try TestAuthenticator()
    try flow.sign(with: &first)
    var half = flow
    _ = refusal(.requestNotExist, byServer: false) { _ = try half.send(over: &transport) }
    var second = try TestAuthenticator(aaid: other, keyID: Scene.keyID(8))
    try flow.sign(with: &second)
    _ = try flow.send(over: &transport)
    #expect(transport.isUsedUp)
  }

  @Test func `a request for a proof tells the server what the proof is for`() throws {
    var transport = ScriptedTransport(Scene.returning(status: 1500))
    var flow = AuthenticationFlow(settings: Scene.settings, username: "alice", proof: .removal(.all, keyIDs: []))
    _ = refusal(.forbidden, byServer: true) { try opened(&flow, &transport) }
    let question = try GetUAFRequest(parsing: transport.requests[0].body)
    #expect(question.op == .authentication)
    #expect(try RequestContext(parsing: question.context ?? "").proofFor == .deregistration)
  }

  // MARK: The server refuses

  @Test(arguments: Scene.statuses) func `refuses if the server sends a refusing status instead of a request`(
    _ status: UInt32, _ result: FidoResult
  ) throws {
    var transport = ScriptedTransport(Scene.returning(status: status))
    var flow = flow()
    let no = refusal(result, byServer: true) { try opened(&flow, &transport) }
    #expect(no?.serverStatus == status && no?.handshakeCompleted == true && transport.isUsedUp)
  }

  @Test(arguments: Scene.statuses) func `refuses if the server sends a refusing status instead of a success`(
    _ status: UInt32, _ result: FidoResult
  ) throws {
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication()), Scene.facets(), Scene.verdict(status, "Key\u{1B}[31m \u{202E}gone"))
    let no = refusal(result, byServer: true) { _ = try run(&transport) }
    #expect(no?.serverStatus == status && no?.serverText == "Key[31m gone" && transport.isUsedUp)
  }

  @Test func `cuts the server's text at 512 characters`() throws {
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication()), Scene.facets(),
      Scene.verdict(1493, String(repeating: "a", count: 5000)))
    let no = refusal(.unknown, byServer: true) { _ = try run(&transport) }
    #expect(no?.serverText?.count == 512)
  }

  // MARK: Answers that are not valid messages

  @Test(arguments: Scene.unusable) func `refuses an answer that is not a UAF request`(
    _ answer: TransportResponse, _ result: FidoResult
  ) throws {
    var transport = ScriptedTransport(.answering(Scene.get, answer))
    var flow = flow()
    _ = refusal(result, byServer: true) { try opened(&flow, &transport) }
  }

  @Test(arguments: Scene.unusable) func `refuses an answer that is not a verdict`(
    _ answer: TransportResponse, _ result: FidoResult
  ) throws {
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication()), Scene.facets(), .answering(Scene.respond, answer))
    _ = refusal(result, byServer: true) { _ = try run(&transport) }
  }

  @Test(arguments: [403, 407])
  func `a refusal that was not written by a UAF server is attributed to the network in between`(
    _ status: Int
  ) throws {
    let answer = Scene.raw(Array("<html>".utf8), status: status, contentType: "text/html")
    var transport = ScriptedTransport(.answering(Scene.get, answer))
    var flow = flow()
    let refused = refusal(.jsonParser, byServer: true) { try opened(&flow, &transport) }
    #expect(refused?.cause == .refusedOnTheWay && refused?.isServersNo == true)
    #expect(refused?.detail.contains("(HTTP status \(status))") == true)
  }

  @Test func `refuses status 1200 without a request`() throws {
    var transport = ScriptedTransport(Scene.returning(status: 1200))
    var flow = flow()
    _ = refusal(.invalidParameter, byServer: true) { try opened(&flow, &transport) }
  }

  @Test(arguments: ["", "{}", "[]", "[{}]", "not json"]) func `refuses a request that is not a UAF message`(
    _ text: String
  ) throws {
    let body = JSONValue.object(["statusCode": .integer(1200), "uafRequest": .string(text)])
    var transport = ScriptedTransport(.answering(Scene.get, Scene.uaf(body)))
    var flow = flow()
    let result: FidoResult = text == "not json" ? .jsonParser : .invalidParameter
    _ = refusal(result, byServer: true) { try opened(&flow, &transport) }
  }

  @Test
  func `refuses a request for a registration or deregistration instead of the authentication that was requested`()
    throws
  {
    let requests = [
      try Scene.registration(), Scene.deregistration([.key(try Scene.aaid(), try Scene.keyID())]),
      Scene.deregistration([.everything]),
    ]
    for request in requests {
      var transport = ScriptedTransport(Scene.returning(request))
      var flow = flow()
      _ = refusal(.invalidParameter, byServer: true) { try opened(&flow, &transport) }
      var disguised = ScriptedTransport(Scene.returning(request, op: .authentication))
      var second = self.flow()
      _ = refusal(.invalidParameter, byServer: true) { try opened(&second, &disguised) }
      #expect(transport.isUsedUp && disguised.isUsedUp)
    }
    var announced = ScriptedTransport(Scene.returning(try Scene.authentication(), op: .deregistration))
    var flow = flow()
    _ = refusal(.invalidParameter, byServer: true) { try opened(&flow, &announced) }
  }

  @Test func `answers in the highest version of UAF that both sides know`() throws {
    let versions = try [UPV.uaf10, .uaf11, UPV(major: 1, minor: 2), UPV(major: 2, minor: 0)].map {
      try Scene.authentication(upv: $0, appID: nil)
    }
    let answer = ReturnUAFRequest(statusCode: .ok, uafRequest: UAFRequest.text(of: versions))
    var transport = ScriptedTransport(.answering(Scene.get, Scene.uaf(answer.json)), Scene.verdict(1200))
    var flow = flow()
    try opened(&flow, &transport, among: [Scene.authenticator(appID: Scene.facetID)])
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    _ = try flow.send(over: &transport)
    let sent = try SendUAFResponse(parsing: transport.requests[1].body)
    #expect(try UAFResponse(parsing: sent.uafResponse).header.upv == .uaf11)
  }

  @Test func `accepts a request with an unknown extension, unless the extension must be understood`() throws {
    for mustBeUnderstood in [false, true] {
      let request = try Scene.authentication(appID: nil)
      let text = UAFRequest.text(of: [request])
        .replacing("\"fail_if_unknown\":false", with: "\"fail_if_unknown\":\(mustBeUnderstood)")
      let answer = ReturnUAFRequest(statusCode: .ok, uafRequest: text)
      var transport = ScriptedTransport(.answering(Scene.get, Scene.uaf(answer.json)))
      var flow = flow()
      let authenticators = [try Scene.authenticator(appID: Scene.facetID)]
      guard mustBeUnderstood else {
        try opened(&flow, &transport, among: authenticators)
        continue
      }
      _ = refusal(.invalidParameter, byServer: true) { try opened(&flow, &transport, among: authenticators) }
    }
  }

  @Test(arguments: [nil, false, true])
  func `tells the server how the person was verified only if the server asks for it`(
    _ failIfUnknown: Bool?
  ) throws {
    let exts = failIfUnknown.map { [Extension(id: "fido.uaf.uvm", data: "", failIfUnknown: $0)] } ?? []
    let criteria = MatchCriteria(aaid: try Scene.aaid(), keyIDs: [try Scene.keyID()])
    let request = UAFRequest.authentication(
      AuthenticationRequest(
        header: OperationHeader(upv: .uaf11, op: .authentication, appID: nil, exts: exts),
        challenge: try Scene.challenge(), policy: Policy(accepted: [[criteria]])))
    var transport = ScriptedTransport(Scene.returning(request), Scene.verdict(1200))
    var flow = flow()
    try opened(&flow, &transport, among: [Scene.authenticator(appID: Scene.facetID)])
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    _ = try flow.send(over: &transport)
    let sent = try SendUAFResponse(parsing: transport.requests[1].body)
    guard case .authentication(let response) = try UAFResponse(parsing: sent.uafResponse) else { return }
    #expect(response.header.exts == exts)
    let assertion = try UnverifiedAuthenticationAssertion(parsing: #require(response.assertions.first).assertion)
    let passcode = UserVerificationMethodEntry(userVerificationMethod: 4, keyProtection: 1, matcherProtection: 1)
    #expect(assertion.verificationMethods == (failIfUnknown == nil ? nil : [passcode]))
    let isValid = P256.isValidSignature(assertion.signature, of: assertion.signedBytes, publicKey: signer.publicKey)
    #expect(isValid)
  }

  @Test func `refuses a request in an unknown version of UAF`() throws {
    var transport = ScriptedTransport(Scene.returning(try Scene.authentication(upv: UPV(major: 2, minor: 0))))
    var flow = flow()
    _ = refusal(.unsupportedVersion, byServer: true) { try opened(&flow, &transport) }
  }

  @Test func `refuses a verdict that was cut anywhere`() throws {
    let yes = ServerResponse(statusCode: .ok, description: "ok", additionalTokens: [Token(type: "JWT", value: "a")])
    for count in 0..<yes.jsonBytes.count {
      let cut = Scene.raw(Array(yes.jsonBytes.prefix(count)))
      var transport = ScriptedTransport(
        Scene.returning(try Scene.authentication()), Scene.facets(), .answering(Scene.respond, cut))
      _ = refusal(.jsonParser, byServer: true) { _ = try run(&transport) }
    }
  }

  @Test func `a request with one changed bit is refused, or leads to a signature by the same key`() throws {
    let text = UAFRequest.text(of: [try Scene.authentication()])
    let body = ReturnUAFRequest(statusCode: .ok, uafRequest: text, op: .authentication).jsonBytes
    for bit in 0..<(body.count * 8) {
      var damaged = body
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      // A changed bit in a member's name can make the member absent, and then the facet list may or may not be requested.
      var transport = LenientTransport(
        answer: Scene.raw(damaged),
        facets: TrustedFacetList(trustedFacets: [
          .init(version: .uaf11, ids: [Scene.facetID])
        ]))
      var flow = flow()
      do {
        try flow.start(over: &transport)
        let offer = try flow.collect(
          over: &transport, among: [Scene.authenticator(), Scene.authenticator(appID: Scene.facetID)])
        let expected = [[[try Scene.keyID()]]]
        #expect(offer.sets.map { $0.map(\.keyIDs) } == expected)
      } catch let refusal as Refusal {
        #expect(refusal.result != .success)
      }
    }
  }

  // MARK: Channel binding

  @Test func `sends no response to a server whose certificate cannot be read`() throws {
    let request = ReturnUAFRequest(
      statusCode: .ok, uafRequest: UAFRequest.text(of: [try Scene.authentication(appID: nil)]))
    let answer = TransportResponse(
      status: 200, contentType: "application/fido+uaf", body: request.jsonBytes, serverCertificate: [0x30])
    var transport = ScriptedTransport(.answering(Scene.get, answer))
    var flow = flow()
    _ = refusal(.channelBinding, byServer: false) {
      try opened(&flow, &transport, among: [Scene.authenticator(appID: Scene.facetID)])
    }
  }

  // MARK: No answer

  @Test(arguments: Scene.failures, [true, false]) func `ends the login if a request gets no answer`(
    _ failure: (TransportFailure, FidoResult), _ atBegin: Bool
  ) throws {
    let asked = failure.0 == .afterHandshake(.connectionLost) && !atBegin ? 4 : 1
    var transport = ScriptedTransport((0..<asked).map { _ in .failing(Scene.get, failure.0, atBegin: atBegin) })
    var flow = flow()
    let no = refusal(failure.1, byServer: failure.0 == .answerTooLarge) { try opened(&flow, &transport) }
    switch failure.0 {
    case .noHandshake(let reason): #expect(no?.handshakeCompleted == false && no?.networkFailure == reason)
    case .requestNotAcceptable, .unavailable: #expect(no?.handshakeCompleted == false && no?.networkFailure == nil)
    default: #expect(no?.handshakeCompleted == true)
    }
  }

  @Test func `repeats the request if the server closes the connection without an answer, and takes the next answer`()
    throws
  {
    let lost = ScriptedTransport.Exchange.failing(Scene.get, .afterHandshake(.connectionLost))
    var transport = ScriptedTransport(lost, lost, Scene.returning(try Scene.authentication()), Scene.facets())
    var flow = flow()
    _ = try opened(&flow, &transport)
    #expect(transport.isUsedUp)
  }

  @Test func `does not send the client's response again if the server's answer to it is lost`() throws {
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication()), Scene.facets(),
      .failing(Scene.respond, .afterHandshake(.connectionLost)))
    _ = refusal(.noAnswer, byServer: false) { _ = try run(&transport) }
    #expect(transport.isUsedUp)
  }

  @Test(arguments: Scene.failures)
  func `a server that answered once does not count as unreachable later in the same login`(
    _ failure: TransportFailure, _ result: FidoResult
  ) throws {
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication()), Scene.facets(), .failing(Scene.respond, failure))
    let no = refusal(result, byServer: failure == .answerTooLarge) { _ = try run(&transport) }
    #expect(no?.handshakeCompleted == true)
  }

  // MARK: Policy

  @Test func `a policy that no authenticator satisfies gives result 2002`() throws {
    let none: [[AuthenticatorDescription]] = try [
      [], [Scene.authenticator(keys: [])], [Scene.authenticator(keys: [Scene.keyID(9)])],
      [Scene.authenticator(appID: Scene.appID + "/")],
    ]
    for authenticators in none {
      var transport = ScriptedTransport(Scene.returning(try Scene.authentication()), Scene.facets())
      var flow = flow()
      _ = refusal(.noSuitableAuthenticator, byServer: false) {
        try opened(&flow, &transport, among: authenticators)
      }
    }
  }

  @Test func `a key that the server's policy does not name never signs`() throws {
    var transport = ScriptedTransport(Scene.returning(try Scene.authentication()), Scene.facets())
    var flow = flow()
    try opened(&flow, &transport)
    var signer = try TestAuthenticator(keyID: Scene.keyID(9))
    _ = refusal(.noSuitableAuthenticator, byServer: false) { try flow.sign(with: &signer) }
    let signatures = signer.signatures
    #expect(signatures == 0)
    _ = refusal(.requestNotExist, byServer: false) { _ = try flow.send(over: &transport) }
  }

  @Test func `if the authenticator fails, the login ends and nothing is sent`() throws {
    var transport = ScriptedTransport(Scene.returning(try Scene.authentication()), Scene.facets())
    var flow = flow()
    try opened(&flow, &transport)
    var signer = try TestAuthenticator()
    signer.failure = SigningFailure(.locked, detail: "locked")
    _ = refusal(.locked, byServer: false) { try flow.sign(with: &signer) }
    _ = refusal(.requestNotExist, byServer: false) { _ = try flow.send(over: &transport) }
    #expect(transport.isUsedUp)
  }

  @Test(arguments: [FidoResult.success, .ready, .changeSuccess, .resetSuccess])
  func `a failure of the authenticator is still a failure if it has the number of a success`(_ result: FidoResult)
    throws
  {
    var transport = ScriptedTransport(Scene.returning(try Scene.authentication()), Scene.facets())
    var flow = flow()
    try opened(&flow, &transport)
    var signer = try TestAuthenticator()
    signer.failure = SigningFailure(result, detail: "")
    _ = refusal(.unknown, byServer: false) { try flow.sign(with: &signer) }
  }

  @Test func `refuses to sign with a nonce that is too short`() throws {
    var transport = ScriptedTransport(Scene.returning(try Scene.authentication()), Scene.facets())
    var flow = flow()
    try opened(&flow, &transport)
    var signer = try TestAuthenticator()
    signer.nonce = [1, 2, 3]
    _ = refusal(.cannotUse, byServer: false) { try flow.sign(with: &signer) }
    let signatures = signer.signatures
    #expect(signatures == 0)
  }

  // MARK: Order

  @Test func `refuses steps in the wrong order, and sends nothing`() throws {
    var transport = ScriptedTransport()
    var flow = flow()
    _ = refusal(.requestNotExist, byServer: false) { _ = try flow.collect(over: &transport, among: []) }
    _ = refusal(.requestNotExist, byServer: false) { _ = try flow.send(over: &transport) }
    var signer = try TestAuthenticator()
    _ = refusal(.requestNotExist, byServer: false) { try flow.sign(with: &signer) }
    #expect(transport.requests.isEmpty)
  }

  @Test func `sends only one response in a login`() throws {
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication()), Scene.facets(), Scene.verdict(1200))
    var flow = flow()
    try opened(&flow, &transport)
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    _ = try flow.send(over: &transport)
    _ = refusal(.requestNotExist, byServer: false) { _ = try flow.send(over: &transport) }
    _ = refusal(.requestNotExist, byServer: false) { try flow.start(over: &transport) }
    #expect(transport.isUsedUp)
  }

  @Test func `a login with a reused challenge is refused, and a new login gets a new challenge`() throws {
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication()), Scene.facets(), Scene.verdict(1491),
      Scene.returning(try Scene.authentication()), Scene.facets(), Scene.verdict(1200))
    _ = refusal(.requestNotExist, byServer: true) { _ = try run(&transport) }
    _ = try run(&transport)
    #expect(transport.isUsedUp)
  }

  // MARK: Transactions

  @Test func `signs the hash of exactly the transaction's text`() throws {
    let text = "sudo apt update on host"
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication(transaction: [Transaction(text: text)])), Scene.facets(),
      Scene.verdict(1200))
    _ = try run(&transport, text)
    let question = try GetUAFRequest(parsing: transport.requests[0].body)
    #expect(try RequestContext(parsing: question.context ?? "").transaction == text)
    let sent = try SendUAFResponse(parsing: transport.requests[2].body)
    guard case .authentication(let response) = try UAFResponse(parsing: sent.uafResponse) else {
      Issue.record("not an authentication response")
      return
    }
    let assertion = try UnverifiedAuthenticationAssertion(parsing: response.assertions[0].assertion)
    #expect(assertion.authenticationMode == .transactionConfirmed)
    #expect(assertion.transactionContentHash == (try SHA256.hash(Array(text.utf8))))
  }

  @Test func `refuses a transaction whose text differs from the text that the client sent`() throws {
    let foreign = try Transaction(text: "pay 1000")
    let own = try Transaction(text: "pay 1")
    let cases: [(String?, [Transaction])] = [
      ("pay 1", [foreign]), ("pay 1", []), (nil, [own]), ("pay 1", [own, foreign]), ("pay 1 ", [own]),
    ]
    for (text, transaction) in cases {
      var transport = ScriptedTransport(
        Scene.returning(try Scene.authentication(transaction: transaction)), Scene.facets())
      var flow = flow(text)
      _ = refusal(.invalidParameter, byServer: true) { try opened(&flow, &transport) }
    }
  }

  @Test func `an approval accepts the server's text, shows it to the person and signs it`() throws {
    let text = try Transaction(text: "Log in as alice \\x07 from 192.0.2.7")
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication(transaction: [text])), Scene.facets(), Scene.verdict(1200))
    var flow = AuthenticationFlow(settings: Scene.settings, username: "alice", approving: "CODE")
    let offer = try opened(&flow, &transport)
    #expect(offer.transaction?.shown == "Log in as alice \\x07 from 192.0.2.7")
    let context = try RequestContext(parsing: GetUAFRequest(parsing: transport.requests[0].body).context ?? "")
    #expect(context.authCode == "CODE" && context.transaction == nil && context.proofFor == nil)
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    _ = try flow.send(over: &transport)
    let sent = try SendUAFResponse(parsing: transport.requests[2].body)
    guard case .authentication(let response) = try UAFResponse(parsing: sent.uafResponse) else { return }
    let assertion = try UnverifiedAuthenticationAssertion(parsing: response.assertions[0].assertion)
    #expect(assertion.authenticationMode == .transactionConfirmed)
    #expect(assertion.transactionContentHash == (try SHA256.hash(text.content)))
  }

  @Test func `refuses an approval whose text is missing or cannot be shown in full`() throws {
    let long = try #require(TransactionText(sent: String(repeating: "long ", count: 100)))
    let short = try Transaction(text: long.signed { bytes throws(CryptoError) in try SHA256.hash(bytes) })
    let unprintable = try Transaction(text: "a\u{7}b")
    // This escape stands for a visible character, which is never shown as an escape.
    let other = try Transaction(text: "a\\x41")
    let plain = try Transaction(text: "a")
    for forms in [[], [short], [unprintable], [other], [plain, plain]] {
      var transport = ScriptedTransport(
        Scene.returning(try Scene.authentication(transaction: forms)), Scene.facets())
      var flow = AuthenticationFlow(settings: Scene.settings, username: "alice", approving: "CODE")
      _ = refusal(.invalidParameter, byServer: true) { try opened(&flow, &transport) }
    }
  }

  @Test func `signs the text of a transaction that also has a picture, and refuses one with only a picture`() throws {
    let picture = try Transaction(
      parsing: """
        {"contentType":"image/png","content":"iVBORw","tcDisplayPNGCharacteristics":{"width":320,"height":480,\
        "bitDepth":16,"colorType":2,"compression":0,"filter":0,"interlace":0}}
        """)
    let text = try Transaction(text: "pay 1")
    for forms in [[picture, text], [text, picture]] {
      var transport = ScriptedTransport(
        Scene.returning(try Scene.authentication(transaction: forms)), Scene.facets(), Scene.verdict(1200))
      _ = try run(&transport, "pay 1")
      let sent = try SendUAFResponse(parsing: transport.requests[2].body)
      guard case .authentication(let response) = try UAFResponse(parsing: sent.uafResponse) else { return }
      let assertion = try UnverifiedAuthenticationAssertion(parsing: response.assertions[0].assertion)
      #expect(assertion.transactionContentHash == (try SHA256.hash(text.content)))
    }
    for forms in [[picture], [text, text], [picture, picture]] {
      var transport = ScriptedTransport(
        Scene.returning(try Scene.authentication(transaction: forms)), Scene.facets())
      var flow = flow("pay 1")
      _ = refusal(.invalidParameter, byServer: true) { try opened(&flow, &transport) }
    }
  }

  // MARK: Names and addresses

  @Test(arguments: [
    ("", FidoResult.emptyUsername), ("a b", .invalidUsername), ("a\n", .invalidUsername),
    ("\u{1B}[2J", .invalidUsername),
    ("홍길동", .invalidUsername), (String(repeating: "a", count: 129), .invalidUsername),
  ]) func `refuses a user name that no server can have, and sends nothing`(_ name: String, _ result: FidoResult)
    throws
  {
    var transport = ScriptedTransport()
    var flow = flow(username: name)
    _ = refusal(result, byServer: false) { try flow.start(over: &transport) }
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: ["http://fido.example/get", "", "fido.example", "https://{nobody}/", "https://h/{user"])
  func `refuses a server address that is not https, and sends nothing`(_ url: String) throws {
    let settings = ClientSettings(endpoint: ServerEndpoint(requestURL: url, responseURL: url), facetID: Scene.facetID)
    var transport = ScriptedTransport()
    var flow = AuthenticationFlow(settings: settings, username: "alice")
    _ = refusal(.invalidParameter, byServer: false) { try flow.start(over: &transport) }
    #expect(transport.requests.isEmpty)
  }
}
