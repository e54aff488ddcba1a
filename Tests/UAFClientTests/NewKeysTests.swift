import FidoResults
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFClient

/// What allows new keys at our server.
///
/// Somebody who has recorded a registration cannot use it for other keys.
@Suite struct NewKeysTests {
  private let code: EnrolmentCode

  init() throws { code = try #require(EnrolmentCode(random: [UInt8](repeating: 0xA7, count: 10))) }

  /// Runs a registration until the server's answer, whose challenge has this purpose.
  private func opened(
    _ flow: RegistrationFlow, as purpose: ChallengePurpose
  ) throws -> (RegistrationFlow, ScriptedTransport) {
    var flow = flow
    let answer = ScriptedTransport.Exchange(url: Scene.get) { request in
      do {
        let context = try GetUAFRequest(parsing: request.body).context ?? ""
        let statement = PurposedChallenge.statement(purpose, context: context)
        let challenge = try PurposedChallenge(
          purpose, hash: SHA256.hash(statement), unique: [UInt8](repeating: 5, count: 32)
        ).challenge
        let asked = UAFRequest.registration(
          RegistrationRequest(
            header: Scene.header(.registration), challenge: challenge, username: "alice",
            policy: Policy(accepted: [[MatchCriteria(aaid: try Scene.aaid())]])))
        return .success(
          Scene.uaf(
            ReturnUAFRequest(statusCode: .ok, uafRequest: UAFRequest.text(of: [asked]), op: .registration).json))
      } catch {
        Issue.record(error)
        return .failure(.unavailable)
      }
    }
    var transport = ScriptedTransport(answer, Scene.facets(), Scene.verdict(1200))
    try flow.start(over: &transport)
    _ = try flow.collect(over: &transport, among: [Scene.authenticator(keys: [])])
    return (flow, transport)
  }

  private func flow(_ entitlement: Entitlement, joined: MachineSecret? = nil) -> RegistrationFlow {
    var settings = Scene.settings
    settings.demandsPurpose = true
    return RegistrationFlow(settings: settings, username: "alice", entitlement: entitlement, joined: joined)
  }

  private func sent(_ transport: ScriptedTransport) throws -> (RequestContext, RegistrationResponse) {
    let sent = try SendUAFResponse(parsing: try #require(transport.requests.last).body)
    guard case .registration(let response) = try UAFResponse(parsing: sent.uafResponse) else {
      throw SigningFailure(.cannotUse, detail: "no registration")
    }
    return (try RequestContext(parsing: sent.context ?? ""), response)
  }

  private func statement(_ response: RegistrationResponse, _ key: NewKey) throws -> NewKeysStatement {
    let challenge = try FinalChallengeParams(encoded: response.fcParams).challenge
    return NewKeysStatement(
      username: "alice", appID: Scene.appID,
      challenge: try ServerChallenge(bytes: Base64URL.decode(challenge, maximumCount: 64)),
      keys: [.init(aaid: try Scene.aaid(), keyID: key.keyID, publicKey: key.publicKey)])
  }

  @Test
  func `an enrolment code allows only the keys of its registration, and no message contains the code itself`() throws {
    var (flow, transport) = try opened(flow(.code(code)), as: .registrationByCode)
    var maker = try TestAuthenticator()
    let key = try flow.makeKey(with: &maker)
    #expect(!flow.needsAuthorization)
    _ = try flow.send(over: &transport)
    let (context, response) = try sent(transport)
    let derived = try EnteredCodeKey.derive(
      from: code.keyMaterial, for: EnrolmentCode.keyInfo(username: "alice"), isStretched: true, length: 32)
    let statement = EnrolmentCode.keysStatement(try statement(response, key))
    #expect(try HMACSHA256.isValid(try #require(context.codeMAC), of: statement, key: derived))
    #expect(context.machineMAC == nil && context.authorization == nil && context.codeProof == nil)
    let wire = transport.requests.flatMap(\.body)
    for text in [code.text, code.text.filter { $0 != "-" }, String(code.text.prefix(5))] {
      #expect(!String(decoding: wire, as: UTF8.self).contains(text))
    }
  }

  @Test func `a joined machine declares with its secret that the new keys are its own`() throws {
    let joined = try MachineSecret(
      machineID: [UInt8](repeating: 1, count: 16), secret: [UInt8](repeating: 2, count: 32))
    var (flow, transport) = try opened(flow(.code(code), joined: joined), as: .registrationByCode)
    var maker = try TestAuthenticator()
    let key = try flow.makeKey(with: &maker)
    _ = try flow.send(over: &transport)
    let (context, response) = try sent(transport)
    let made = try statement(response, key).machineStatement(deviceID: "d1")
    #expect(context.machineMAC == (try HMACSHA256.authenticate(made, keyInOrdinaryMemory: joined.secret)))
    #expect(context.machineID == joined.machineID)
    #expect(
      !transport.requests.contains {
        String(decoding: $0.body, as: UTF8.self).contains(Base64URL.encode(joined.secret))
      })
  }

  @Test func `after a proof, a registered key signs the list of new keys`() throws {
    var (flow, transport) = try opened(flow(.proof("token")), as: .registrationByKey)
    var maker = try TestAuthenticator(keyID: try Scene.keyID(8))
    let key = try flow.makeKey(with: &maker)
    #expect(flow.needsAuthorization)
    var signer = try TestAuthenticator()
    try flow.authorize(with: &signer, describedBy: [])
    _ = try flow.send(over: &transport)
    let (context, response) = try sent(transport)
    guard case .authentication(let signed) = try UAFResponse(parsing: try #require(context.authorization)) else {
      Issue.record("no authentication")
      return
    }
    let challenge = try FinalChallengeParams(encoded: signed.fcParams).challenge
    let authorized = try statement(response, key).authorization(hash: SHA256.hash)
    #expect(challenge == authorized.text)
    let assertion = try UnverifiedAuthenticationAssertion(parsing: signed.assertions[0].assertion)
    #expect(assertion.keyID == (try Scene.keyID()))
    #expect(assertion.finalChallengeHash == (try SHA256.hash(Array(signed.fcParams.utf8))))
    #expect(P256.isValidSignature(assertion.signature, of: assertion.signedBytes, publicKey: signer.publicKey))
  }

  @Test func `refuses to send new keys that a registered key must sign and has not signed`() throws {
    var (flow, transport) = try opened(flow(.proof("token")), as: .registrationByKey)
    var maker = try TestAuthenticator()
    _ = try flow.makeKey(with: &maker)
    _ = refusal(.requestNotExist, byServer: false) { _ = try flow.send(over: &transport) }
    #expect(transport.requests.count == 2)
  }

  @Test func `refuses to have new keys signed before a key was made`() throws {
    var (flow, _) = try opened(flow(.proof("token")), as: .registrationByKey)
    var signer = try TestAuthenticator()
    _ = refusal(.requestNotExist, byServer: false) { try flow.authorize(with: &signer, describedBy: []) }
    #expect(signer.signatures == 0)
  }

  @Test(arguments: ChallengePurpose.allCases)
  func `a registration refuses the challenge of a different entitlement than its own`(purpose: ChallengePurpose) throws
  {
    if purpose != .registrationByCode {
      _ = refusal(.invalidParameter, byServer: true) { _ = try opened(flow(.code(code)), as: purpose) }
    }
    if purpose != .registrationByKey {
      _ = refusal(.invalidParameter, byServer: true) { _ = try opened(flow(.proof("token")), as: purpose) }
    }
    _ = refusal(.invalidParameter, byServer: true) { _ = try opened(flow(.none), as: purpose) }
    _ = refusal(.invalidParameter, byServer: true) { _ = try opened(flow(.plainCode("c")), as: purpose) }
  }
}
