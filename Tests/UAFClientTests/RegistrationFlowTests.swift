import FidoResults
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFClient

@Suite struct RegistrationFlowTests {
  private func flow() -> RegistrationFlow {
    RegistrationFlow(settings: Scene.settings, username: "alice", entitlement: .plainCode("CODE"))
  }

  @discardableResult
  private func opened(
    _ flow: inout RegistrationFlow, _ transport: inout ScriptedTransport,
    among authenticators: [AuthenticatorDescription]? = nil
  ) throws -> RegistrationOffer {
    try flow.start(over: &transport)
    return try flow.collect(over: &transport, among: authenticators ?? [Scene.authenticator(keys: [])])
  }

  private func run(_ transport: inout ScriptedTransport) throws -> (NewKey, Acceptance) {
    var flow = flow()
    try opened(&flow, &transport)
    var maker = try TestAuthenticator()
    let key = try flow.makeKey(with: &maker)
    return (key, try accepted(flow.send(over: &transport)))
  }

  @Test func `sends the server a new key with a signature by that key`() throws {
    var transport = ScriptedTransport(
      Scene.returning(try Scene.registration()), Scene.facets(), Scene.verdict(1200))
    var flow = flow()
    let offer = try opened(&flow, &transport)
    #expect(offer.username == "alice" && offer.appID == Scene.appID && offer.lifetimeMilliseconds == 60_000)
    var maker = try TestAuthenticator()
    let key = try flow.makeKey(with: &maker)
    _ = try flow.send(over: &transport)
    #expect(transport.isUsedUp)

    let asked = try GetUAFRequest(parsing: transport.requests[0].body)
    #expect(asked.op == .registration)
    #expect(try RequestContext(parsing: asked.context ?? "").authCode == "CODE")
    let sent = try SendUAFResponse(parsing: transport.requests[2].body)
    guard case .registration(let response) = try UAFResponse(parsing: sent.uafResponse) else {
      Issue.record("not a registration response")
      return
    }
    let assertion = try UnverifiedRegistrationAssertion(parsing: response.assertions[0].assertion)
    #expect(assertion.keyID == key.keyID && assertion.publicKey == key.publicKey && assertion.regCounter == 1)
    #expect(assertion.finalChallengeHash == (try SHA256.hash(Array(response.fcParams.utf8))))
    guard case .surrogate(let signature) = assertion.attestation else {
      Issue.record("not surrogate attestation")
      return
    }
    #expect(P256.isValidSignature(signature, of: assertion.signedBytes, publicKey: key.publicKey))
  }

  @Test func `in a registration tells the server how the person was verified if the server asks for it`() throws {
    let exts = [Extension(id: "fido.uaf.uvm", data: "", failIfUnknown: true)]
    let request = UAFRequest.registration(
      RegistrationRequest(
        header: OperationHeader(upv: .uaf11, op: .registration, appID: nil, exts: exts),
        challenge: try Scene.challenge(), username: "alice",
        policy: Policy(accepted: [[MatchCriteria(aaid: try Scene.aaid())]])))
    var transport = ScriptedTransport(Scene.returning(request), Scene.verdict(1200))
    var flow = flow()
    try opened(&flow, &transport)
    var maker = try TestAuthenticator()
    let key = try flow.makeKey(with: &maker)
    _ = try flow.send(over: &transport)
    let sent = try SendUAFResponse(parsing: transport.requests[1].body)
    guard case .registration(let response) = try UAFResponse(parsing: sent.uafResponse) else { return }
    let assertion = try UnverifiedRegistrationAssertion(parsing: response.assertions[0].assertion)
    let passcode = UserVerificationMethodEntry(userVerificationMethod: 4, keyProtection: 1, matcherProtection: 1)
    #expect(response.header.exts == exts && assertion.verificationMethods == [passcode])
    guard case .surrogate(let signature) = assertion.attestation else { return }
    #expect(P256.isValidSignature(signature, of: assertion.signedBytes, publicKey: key.publicKey))
  }

  @Test(arguments: Scene.statuses)
  func `a registration is refused if the server sends a refusing status instead of a success`(
    _ status: UInt32, _ result: FidoResult
  ) throws {
    var transport = ScriptedTransport(
      Scene.returning(try Scene.registration()), Scene.facets(), Scene.verdict(status, "no"))
    let no = refusal(result, byServer: true) { _ = try run(&transport) }
    #expect(no?.serverText == "no" && no?.serverStatus == status && transport.isUsedUp)
  }

  @Test(arguments: Scene.unusable) func `a registration is refused if the server's answer is not a verdict`(
    _ answer: TransportResponse, _ result: FidoResult
  ) throws {
    var transport = ScriptedTransport(
      Scene.returning(try Scene.registration()), Scene.facets(), .answering(Scene.respond, answer))
    _ = refusal(result, byServer: true) { _ = try run(&transport) }
  }

  @Test func `refuses a request to register a different account`() throws {
    var transport = ScriptedTransport(Scene.returning(try Scene.registration(username: "mallory")), Scene.facets())
    var flow = flow()
    _ = refusal(.invalidParameter, byServer: true) { try opened(&flow, &transport) }
  }

  @Test func `refuses a request for an operation other than registration`() throws {
    for request in [try Scene.authentication(), Scene.deregistration([.everything])] {
      var transport = ScriptedTransport(Scene.returning(request, op: .registration))
      var flow = flow()
      _ = refusal(.invalidParameter, byServer: true) { try opened(&flow, &transport) }
    }
  }

  @Test func `does not register an authenticator again if the server's policy excludes its registered key`() throws {
    let disallowed = MatchCriteria(aaid: try Scene.aaid(), keyIDs: [try Scene.keyID()])
    let policy = Policy(accepted: [[MatchCriteria(aaid: try Scene.aaid())]], disallowed: [disallowed])
    var transport = ScriptedTransport(Scene.returning(try Scene.registration(policy: policy)), Scene.facets())
    var flow = flow()
    _ = refusal(.noSuitableAuthenticator, byServer: false) {
      try opened(&flow, &transport, among: [Scene.authenticator()])
    }
    var again = ScriptedTransport(Scene.returning(try Scene.registration(policy: policy)), Scene.facets())
    var other = self.flow()
    #expect(try opened(&other, &again, among: [Scene.authenticator(keys: [Scene.keyID(8)])]).sets.count == 1)
  }

  @Test func `refuses a policy that demands full attestation, which no authenticator here offers`() throws {
    var criteria = MatchCriteria()
    criteria.attestationTypes = [15879]
    let policy = Policy(accepted: [[criteria]])
    var transport = ScriptedTransport(Scene.returning(try Scene.registration(policy: policy)), Scene.facets())
    var flow = flow()
    _ = refusal(.noSuitableAuthenticator, byServer: false) { try opened(&flow, &transport) }
  }

  @Test func `an authenticator that the server's policy does not name makes no key`() throws {
    var transport = ScriptedTransport(Scene.returning(try Scene.registration()), Scene.facets())
    var flow = flow()
    try opened(&flow, &transport)
    var maker = try TestAuthenticator(aaid: AAID("EBA0#0009"))
    _ = refusal(.noSuitableAuthenticator, byServer: false) { _ = try flow.makeKey(with: &maker) }
    let signatures = maker.signatures
    #expect(signatures == 0)
  }

  @Test func `if signing the new key fails, nothing is sent`() throws {
    var transport = ScriptedTransport(Scene.returning(try Scene.registration()), Scene.facets())
    var flow = flow()
    try opened(&flow, &transport)
    var maker = try TestAuthenticator()
    maker.failure = SigningFailure(.cannotUse, detail: "no memory")
    _ = refusal(.cannotUse, byServer: false) { _ = try flow.makeKey(with: &maker) }
    _ = refusal(.requestNotExist, byServer: false) { _ = try flow.send(over: &transport) }
    #expect(transport.isUsedUp)
  }

  @Test func `each authenticator makes one key if the policy demands two authenticators together`() throws {
    let other = try AAID("EBA0#0002")
    let policy = Policy(accepted: [[MatchCriteria(aaid: try Scene.aaid()), MatchCriteria(aaid: other)]])
    let pattern = AuthenticatorDescription(aaid: other, userVerification: UserVerification.pattern)
    var transport = ScriptedTransport(
      Scene.returning(try Scene.registration(policy: policy)), Scene.facets(), Scene.verdict(1200))
    var flow = flow()
    try opened(&flow, &transport, among: [Scene.authenticator(keys: []), pattern])
    var first = try TestAuthenticator()
    _ = try flow.makeKey(with: &first)
    var (half, twice) = (flow, flow)
    _ = refusal(.requestNotExist, byServer: false) { _ = try half.send(over: &transport) }
    _ = refusal(.noSuitableAuthenticator, byServer: false) { _ = try twice.makeKey(with: &first) }
    var second = try TestAuthenticator(aaid: other, keyID: Scene.keyID(8))
    _ = try flow.makeKey(with: &second)
    _ = try flow.send(over: &transport)
    #expect(transport.isUsedUp)
  }

  @Test func `refuses to send an empty public key`() throws {
    var transport = ScriptedTransport(Scene.returning(try Scene.registration()), Scene.facets())
    var flow = flow()
    try opened(&flow, &transport)
    var maker = EmptyKeyMaker(aaid: try Scene.aaid(), keyID: try Scene.keyID())
    _ = refusal(.cannotUse, byServer: false) { _ = try flow.makeKey(with: &maker) }
    #expect(transport.isUsedUp)
  }

  private struct EmptyKeyMaker: KeyMaker {
    let aaid: AAID
    let keyID: KeyID
    let authenticatorVersion: UInt16 = 1

    func makeKey(appID: String) throws(SigningFailure) -> NewKey {
      NewKey(keyID: keyID, publicKey: [], signCounter: 0, regCounter: 1)
    }

    func sign(_ keyRegistrationData: [UInt8]) throws(SigningFailure) -> [UInt8] { [] }
  }

  @Test func `refuses to send a registration before a key was made`() throws {
    var transport = ScriptedTransport(Scene.returning(try Scene.registration()), Scene.facets())
    var flow = flow()
    try opened(&flow, &transport)
    _ = refusal(.requestNotExist, byServer: false) { _ = try flow.send(over: &transport) }
    #expect(transport.isUsedUp)
  }
}
