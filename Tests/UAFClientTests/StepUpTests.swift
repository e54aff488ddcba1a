import FidoResults
import Testing
import UAFMessages

@testable import UAFClient

@Suite struct StepUpTests {
  /// An answer with which the server demands a further request.
  private func more(
    _ request: UAFRequest, status: UAFStatusCode = .ok, at url: String = Scene.respond
  ) -> ScriptedTransport.Exchange {
    let body = ServerResponse(
      statusCode: status, additionalTokens: [Token(type: "JWT", value: "early")],
      newUAFRequest: UAFRequest.text(of: [request]))
    return .answering(url, Scene.uaf(body.json))
  }

  private func authentication(_ upv: UPV = .uaf11) throws -> UAFRequest {
    try Scene.authentication(upv: upv, appID: nil)
  }

  /// Signs further requests until the server accepts.
  private func run(
    _ flow: inout AuthenticationFlow, _ transport: inout ScriptedTransport
  ) throws -> (Acceptance, signatures: Int) {
    let authenticators = [try Scene.authenticator(appID: Scene.facetID)]
    var signer = try TestAuthenticator()
    while true {
      _ = try flow.collect(over: &transport, among: authenticators)
      try flow.sign(with: &signer)
      if case .accepted(let acceptance) = try flow.send(over: &transport) { return (acceptance, signer.signatures) }
    }
  }

  private func run(_ transport: inout ScriptedTransport) throws -> (Acceptance, signatures: Int) {
    var flow = AuthenticationFlow(settings: Scene.settings, username: "alice")
    try flow.start(over: &transport)
    return try run(&flow, &transport)
  }

  @Test(arguments: [UAFStatusCode.ok, .accepted])
  func `signs a further request of the server, and the server's last verdict decides`(
    _ status: UAFStatusCode
  ) throws {
    var transport = ScriptedTransport(
      Scene.returning(try authentication()), more(try authentication(.uaf10), status: status), Scene.verdict(1200))
    let (acceptance, signatures) = try run(&transport)
    #expect(signatures == 2 && acceptance.token == nil && transport.isUsedUp)
  }

  @Test func `a login is refused if the server refuses after a further request`() throws {
    var transport = ScriptedTransport(
      Scene.returning(try authentication()), more(try authentication()), Scene.verdict(1492))
    _ = refusal(.noSuitableAuthenticator, byServer: true) { _ = try run(&transport) }
  }

  @Test func `follows at most four further requests of a server`() throws {
    let demand = more(try authentication())
    var four = ScriptedTransport(
      Scene.returning(try authentication()), demand, demand, demand, demand, Scene.verdict(1200))
    #expect(try run(&four).signatures == 5)
    var five = ScriptedTransport(Scene.returning(try authentication()), demand, demand, demand, demand, demand)
    _ = refusal(.unknown, byServer: true) { _ = try run(&five) }
    #expect(five.isUsedUp)
  }

  @Test func `a further request next to a refusing status is not followed, and the status decides`() throws {
    var transport = ScriptedTransport(
      Scene.returning(try authentication()), more(try authentication(), status: .unauthorized))
    _ = refusal(.serverNoRegistration, byServer: true) { _ = try run(&transport) }
  }

  @Test func `refuses a further request for a different operation, version or application`() throws {
    let demands: [(UAFRequest, FidoResult)] = [
      (try Scene.registration(), .invalidParameter), (Scene.deregistration([.everything]), .invalidParameter),
      (try Scene.authentication(appID: "linux:other"), .untrustedFacet),
      (try authentication(UPV(major: 2, minor: 0)), .unsupportedVersion),
    ]
    for (request, result) in demands {
      var transport = ScriptedTransport(Scene.returning(try authentication()), more(request))
      _ = refusal(result, byServer: true) { _ = try run(&transport) }
      #expect(transport.isUsedUp)
    }
  }

  @Test func `refuses a further request that adds a transaction`() throws {
    let slipped = try Scene.authentication(appID: nil, transaction: [Transaction(text: "pay")])
    var transport = ScriptedTransport(Scene.returning(try authentication()), more(slipped))
    _ = refusal(.invalidParameter, byServer: true) { _ = try run(&transport) }
  }

  @Test
  func `a further request after a registration is an authentication, and is sent without the registration's code`()
    throws
  {
    var settings = Scene.settings
    settings.authentication = ServerEndpoint(requestURL: Scene.get, responseURL: "https://fido.example/auth")
    var transport = ScriptedTransport(
      Scene.returning(try Scene.registration()), Scene.facets(), more(try authentication()),
      .answering("https://fido.example/auth", Scene.uaf(ServerResponse(statusCode: .ok).json)))
    var flow = RegistrationFlow(settings: settings, username: "alice", entitlement: .plainCode("CODE"))
    try flow.start(over: &transport)
    _ = try flow.collect(over: &transport, among: [Scene.authenticator(keys: [])])
    var maker = try TestAuthenticator()
    _ = try flow.makeKey(with: &maker)
    #expect(try flow.send(over: &transport) == .furtherRequest)
    var further = try #require(flow.furtherAuthentication() as? AuthenticationFlow)
    #expect(try run(&further, &transport).signatures == 1)
    #expect(transport.isUsedUp)
    let sent = try SendUAFResponse(parsing: transport.requests[3].body)
    let context = try RequestContext(parsing: sent.context ?? "")
    #expect(context.username == "alice" && context.authCode == nil)
  }

  @Test func `refuses a second registration as the further request after a registration`() throws {
    var transport = ScriptedTransport(
      Scene.returning(try Scene.registration()), Scene.facets(), more(try Scene.registration()))
    var flow = RegistrationFlow(settings: Scene.settings, username: "alice", entitlement: .plainCode("CODE"))
    try flow.start(over: &transport)
    _ = try flow.collect(over: &transport, among: [Scene.authenticator(keys: [])])
    var maker = try TestAuthenticator()
    _ = try flow.makeKey(with: &maker)
    _ = try flow.send(over: &transport)
    var further = try #require(flow.furtherAuthentication() as? AuthenticationFlow)
    _ = refusal(.invalidParameter, byServer: true) { _ = try run(&further, &transport) }
  }

  @Test func `refuses a further authentication that the server did not demand`() throws {
    var transport = ScriptedTransport()
    let registration = RegistrationFlow(settings: Scene.settings, username: "alice")
    var further = try #require(registration.furtherAuthentication() as? AuthenticationFlow)
    _ = refusal(.requestNotExist, byServer: false) { _ = try run(&further, &transport) }
  }
}
