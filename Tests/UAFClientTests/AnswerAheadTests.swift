import FidoResults
import Testing
import UAFMessages

@testable import UAFClient

/// The server's answer to the UAF request is received while the person is still typing.
@Suite struct AnswerAheadTests {
  private static let lost = ScriptedTransport.Exchange.failing(Scene.get, .afterHandshake(.connectionLost))

  private func flow(_ operation: UAFOperation? = nil) -> AuthenticationFlow {
    AuthenticationFlow(settings: Scene.settings, username: "alice", proof: operation == nil ? nil : .furtherKeys)
  }

  @Test
  func `the facet list is requested once the server's answer is received ahead, and the login continues as usual`()
    throws
  {
    var transport = ScriptedTransport(
      Scene.returning(try Scene.authentication()), Scene.facets(), Scene.verdict(1200))
    var flow = flow()
    try flow.start(over: &transport)
    flow.receive(over: &transport)
    #expect(transport.requests.map(\.url) == [Scene.get, Scene.appID])
    _ = try flow.collect(over: &transport, among: [Scene.authenticator()])
    #expect(transport.requests.count == 2, "nothing is asked twice")
    var signer = try TestAuthenticator()
    try flow.sign(with: &signer)
    _ = try accepted(flow.send(over: &transport))
    #expect(transport.isUsedUp)
  }

  @Test func `no facet list is requested for an AppID that needs none`() throws {
    var transport = ScriptedTransport(Scene.returning(try Scene.authentication(appID: Scene.facetID)))
    var flow = flow()
    try flow.start(over: &transport)
    flow.receive(over: &transport)
    let offer = try flow.collect(over: &transport, among: [Scene.authenticator(appID: Scene.facetID)])
    #expect(offer.appID == Scene.facetID && transport.isUsedUp)
  }

  @Test(arguments: Scene.unusable) func `an answer that was received ahead is refused only when the login needs it`(
    _ answer: TransportResponse, _ result: FidoResult
  ) throws {
    var transport = ScriptedTransport(.answering(Scene.get, answer))
    var flow = flow()
    try flow.start(over: &transport)
    flow.receive(over: &transport)
    _ = refusal(result, byServer: true) { _ = try flow.collect(over: &transport, among: [Scene.authenticator()]) }
    #expect(transport.isUsedUp)
  }

  @Test(arguments: Scene.failures)
  func `a server that does not answer ahead is reported as if the login had waited for it`(
    _ failure: TransportFailure, _ result: FidoResult
  ) throws {
    // After a lost connection the request is sent again, which a separate test covers.
    guard failure != .afterHandshake(.connectionLost) else { return }
    var transport = ScriptedTransport(.failing(Scene.get, failure))
    var flow = flow()
    try flow.start(over: &transport)
    flow.receive(over: &transport)
    let no = refusal(result, byServer: failure == .answerTooLarge) {
      _ = try flow.collect(over: &transport, among: [Scene.authenticator()])
    }
    if case .noHandshake(let reason) = failure {
      #expect(no?.handshakeCompleted == false && no?.networkFailure == reason)
    }
    #expect(transport.isUsedUp)
  }

  @Test(arguments: ["https://evil.example/facets", "http://fido.example:8443/uaf/facets", "linux:other"])
  func `a facet list at a forbidden address is not requested ahead, and the server's request is refused`(
    _ appID: String
  ) throws {
    var transport = ScriptedTransport(Scene.returning(try Scene.authentication(appID: appID)))
    var flow = flow()
    try flow.start(over: &transport)
    flow.receive(over: &transport)
    #expect(transport.requests.count == 1)
    _ = refusal(.untrustedFacet, byServer: true) {
      _ = try flow.collect(over: &transport, among: [Scene.authenticator()])
    }
  }

  @Test func `refuses the request if the facet list received ahead does not name this client`() throws {
    var transport = ScriptedTransport(Scene.returning(try Scene.authentication()), Scene.facets(["linux:other"]))
    var flow = flow()
    try flow.start(over: &transport)
    flow.receive(over: &transport)
    _ = refusal(.untrustedFacet, byServer: true) {
      _ = try flow.collect(over: &transport, among: [Scene.authenticator()])
    }
    #expect(transport.isUsedUp)
  }

  @Test
  func `after a lost connection the request is sent again at once, although its answer is not waited for`() throws {
    var transport = ScriptedTransport(Self.lost, Scene.returning(try Scene.authentication()), Scene.facets())
    var flow = flow()
    try flow.start(over: &transport)
    flow.receive(over: &transport)
    #expect(transport.requests.map(\.url) == [Scene.get, Scene.get])
    _ = try flow.collect(over: &transport, among: [Scene.authenticator()])
    #expect(transport.isUsedUp)
  }

  @Test func `receives nothing ahead before the request is sent, and nothing a second time`() throws {
    var transport = ScriptedTransport(Scene.returning(try Scene.authentication()), Scene.facets())
    var flow = flow()
    flow.receive(over: &transport)
    try flow.start(over: &transport)
    flow.receive(over: &transport)
    flow.receive(over: &transport)
    _ = try flow.collect(over: &transport, among: [Scene.authenticator()])
    flow.receive(over: &transport)
    #expect(transport.isUsedUp)
  }

  @Test func `the server's answer can be collected only once, whether it was received ahead or not`() throws {
    for isAhead in [true, false] {
      var transport = ScriptedTransport(Scene.returning(try Scene.authentication()), Scene.facets())
      var flow = flow()
      try flow.start(over: &transport)
      if isAhead { flow.receive(over: &transport) }
      _ = try flow.collect(over: &transport, among: [Scene.authenticator()])
      _ = refusal(.requestNotExist, byServer: false) {
        _ = try flow.collect(over: &transport, among: [Scene.authenticator()])
      }
    }
  }

  // MARK: An answer that nobody needs any more

  @Test
  func `an answer that is no longer needed is still read to its end, so that it is not taken for the next one`() throws
  {
    for isAhead in [true, false] {
      let script = [Scene.returning(try Scene.authentication())] + (isAhead ? [Scene.facets()] : [])
      var transport = ScriptedTransport(script)
      var flow = flow()
      try flow.start(over: &transport)
      if isAhead { flow.receive(over: &transport) }
      let isReached = flow.drop(over: &transport)
      #expect(isReached && transport.isUsedUp)
      _ = refusal(.requestNotExist, byServer: false) {
        _ = try flow.collect(over: &transport, among: [Scene.authenticator()])
      }
    }
  }

  @Test func `dropping an answer does not count a server as reached if there was no handshake`() throws {
    for isAhead in [true, false] {
      var transport = ScriptedTransport(.failing(Scene.get, .noHandshake(.refused)))
      var flow = flow()
      try flow.start(over: &transport)
      if isAhead { flow.receive(over: &transport) }
      let isReached = flow.drop(over: &transport)
      #expect(!isReached && transport.isUsedUp)
    }
    var flow = flow()
    var transport = ScriptedTransport()
    let isReached = flow.drop(over: &transport)
    #expect(!isReached, "nothing was asked")
  }
}
