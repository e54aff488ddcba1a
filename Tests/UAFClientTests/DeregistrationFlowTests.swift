import FidoResults
import Testing
import UAFMessages

@testable import UAFClient

@Suite struct DeregistrationFlowTests {
  private func flow(_ scope: DeregistrationScope = .all) -> DeregistrationFlow {
    DeregistrationFlow(
      settings: Scene.settings, username: "alice", scope: scope, keyIDs: [], entitlement: .proof("a.b.c"))
  }

  private func run(
    _ transport: inout ScriptedTransport, _ scope: DeregistrationScope = .all
  ) throws -> DeregistrationOrder {
    var flow = flow(scope)
    try flow.start(over: &transport)
    return try flow.collect(over: &transport)
  }

  @Test func `sends the proof with the deregistration request, and sends nothing after the server's answer`() throws {
    let entries: [DeregisterAuthenticator] = [.key(try Scene.aaid(), try Scene.keyID())]
    var transport = ScriptedTransport(Scene.returning(Scene.deregistration(entries)), Scene.facets())
    let order = try run(&transport, .authenticator(Scene.aaid()))
    #expect(order.appID == Scene.appID && order.authenticators == entries)
    #expect(transport.isUsedUp)
    let asked = try GetUAFRequest(parsing: transport.requests[0].body)
    let context = try RequestContext(parsing: asked.context ?? "")
    #expect(asked.op == .deregistration && context.proof == "a.b.c" && context.username == "alice")
    #expect(context.deregisterAAID == (try Scene.aaid()) && context.deregisterAll == nil)
  }

  @Test func `a deregistration order names single keys, all keys of an authenticator, or all keys`() throws {
    let (aaid, keyID) = (try Scene.aaid(), try Scene.keyID())
    let (otherAAID, otherKey) = (try AAID("EBA0#0002"), try Scene.keyID(8))
    let one = DeregistrationOrder(appID: "x", authenticators: [.key(aaid, keyID)])
    #expect(one.names(aaid, keyID) && !one.names(aaid, otherKey) && !one.names(otherAAID, keyID))
    let model = DeregistrationOrder(appID: "x", authenticators: [.allKeys(aaid)])
    #expect(model.names(aaid, otherKey) && !model.names(otherAAID, keyID))
    let all = DeregistrationOrder(appID: "x", authenticators: [.everything])
    #expect(all.names(otherAAID, otherKey))
  }

  @Test(arguments: [
    (UInt32(1401), FidoResult.serverDeregistrationUnknown), (1404, .serverDeregistrationUnknown),
    (1480, .serverDeregistrationUnknown), (1481, .serverDeregistrationUnknown), (15_007, .serverDeregistrationUnknown),
    (1403, .forbidden), (1491, .requestNotExist), (1500, .forbidden),
  ]) func `refuses if the server sends a status instead of a deregistration request`(
    _ status: UInt32, _ result: FidoResult
  ) throws {
    var transport = ScriptedTransport(Scene.returning(status: status))
    _ = refusal(result, byServer: true) { _ = try run(&transport) }
  }

  @Test func `refuses a request for an operation other than deregistration`() throws {
    for request in [try Scene.authentication(), try Scene.registration()] {
      var transport = ScriptedTransport(Scene.returning(request, op: .deregistration))
      _ = refusal(.invalidParameter, byServer: true) { _ = try run(&transport) }
    }
  }

  @Test func `refuses a deregistration order if the server's facet list does not name this client`() throws {
    var transport = ScriptedTransport(Scene.returning(Scene.deregistration([.everything])), Scene.facets(["x"]))
    _ = refusal(.untrustedFacet, byServer: true) { _ = try run(&transport) }
  }

  @Test func `refuses an order to deregister all keys in UAF 1 dot 0, which has no such order`() throws {
    var transport = ScriptedTransport(Scene.returning(Scene.deregistration([.everything], upv: .uaf10)))
    _ = refusal(.invalidParameter, byServer: true) { _ = try run(&transport) }
  }

  @Test func `if the server does not answer a deregistration request, no key is deleted`() throws {
    var transport = ScriptedTransport(.failing(Scene.get, .noHandshake(.refused)))
    let no = refusal(.noAnswer, byServer: false) { _ = try run(&transport) }
    #expect(no?.handshakeCompleted == false && no?.networkFailure == .refused)
  }
}
