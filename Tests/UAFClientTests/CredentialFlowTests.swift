import FidoResults
import SecretMemory
import Testing
import UAFCrypto
import UAFMessages
import WebAuthn

@testable import UAFClient

/// Ceremonies with a relying party that a script plays.
@Suite struct CredentialFlowTests {
  private static let host = "https://login.example.com/fido"
  private static let settings = ClientSettings(
    registration: ServerEndpoint(
      requestURL: host + "/attestation/options", responseURL: host + "/attestation/result"),
    authentication: ServerEndpoint(requestURL: host + "/assertion/options", responseURL: host + "/assertion/result"),
    deregistration: ServerEndpoint(requestURL: host, responseURL: host), facetID: "linux:test")
  private static let challenge = [UInt8](repeating: 3, count: 32)

  // MARK: What the relying party says

  private func json(_ value: JSONValue, status: Int = 200, cookies: String? = nil) -> TransportResponse {
    TransportResponse(
      status: status, contentType: "application/json; charset=utf-8", body: value.bytes, cookies: cookies)
  }

  private func requestOptions(_ rpID: String? = "example.com", allowing ids: [[UInt8]]? = nil) throws -> JSONObject {
    let options = PublicKeyCredentialRequestOptions(
      challenge: Self.challenge, relyingPartyID: rpID,
      allowedCredentials: try (ids ?? [Scene.keyID().bytes]).map { CredentialDescriptor(id: $0) })
    return try answer(options.json)
  }

  private func creationOptions(
    _ rpID: String? = "example.com", user: String = "mina", algorithms: [COSEAlgorithm] = [.rs256, .es256],
    excluding ids: [[UInt8]] = [], attachment: AuthenticatorAttachment? = nil,
    attestation: AttestationConveyance = .none
  ) throws -> JSONObject {
    let options = PublicKeyCredentialCreationOptions(
      relyingParty: RelyingPartyEntity(id: rpID, name: "Example"),
      user: try UserEntity(id: [1, 2, 3], name: user, displayName: user), challenge: Self.challenge,
      algorithms: algorithms, excludedCredentials: ids.map { CredentialDescriptor(id: $0) }, attachment: attachment,
      attestation: attestation)
    return try answer(options.json)
  }

  private func answer(_ options: JSONValue) throws -> JSONObject {
    guard case .object(var object) = options else { return [:] }
    object.set("status", .string("ok"))
    object.set("errorMessage", .string(""))
    return object
  }

  private static let success = JSONValue.object(["status": .string("ok"), "errorMessage": .string("")])

  private func assertion(_ options: TransportResponse, _ result: TransportResponse? = nil) -> ScriptedTransport {
    let asked = ScriptedTransport.Exchange.answering(Self.host + "/assertion/options", options)
    let answered = result.map { ScriptedTransport.Exchange.answering(Self.host + "/assertion/result", $0) }
    return ScriptedTransport([asked] + [answered].compactMap(\.self))
  }

  private func attestation(_ options: TransportResponse, _ result: TransportResponse? = nil) -> ScriptedTransport {
    let asked = ScriptedTransport.Exchange.answering(Self.host + "/attestation/options", options)
    let answered = result.map { ScriptedTransport.Exchange.answering(Self.host + "/attestation/result", $0) }
    return ScriptedTransport([asked] + [answered].compactMap(\.self))
  }

  // MARK: What the client does

  private func authenticator(rpID: String = "example.com") throws -> AuthenticatorDescription {
    try Scene.authenticator(appID: rpID)
  }

  private func authentication(_ rules: WebAuthnSettings = WebAuthnSettings()) -> CredentialAuthentication {
    CredentialAuthentication(settings: Self.settings, rules: rules, username: "mina")
  }

  private func registration(
    _ rules: WebAuthnSettings = WebAuthnSettings(), entitlement: Entitlement = .none
  ) -> CredentialRegistration {
    CredentialRegistration(settings: Self.settings, rules: rules, username: "mina", entitlement: entitlement)
  }

  /// The offer of an authentication with these options, or the refusal.
  private func collect(
    _ response: TransportResponse, _ rules: WebAuthnSettings = WebAuthnSettings(), rpID: String = "example.com"
  ) throws -> AuthenticationOffer {
    var (wire, flow) = (assertion(response), authentication(rules))
    try flow.start(over: &wire)
    return try flow.collect(over: &wire, among: [authenticator(rpID: rpID)])
  }

  private func expectation(_ rpID: String, _ origin: String) throws -> CeremonyExpectation {
    CeremonyExpectation(
      challenge: Self.challenge, origins: [origin], relyingPartyID: try RelyingPartyID(rpID),
      requiresUserVerification: true)
  }

  // MARK: Authentication

  @Test(arguments: [COSEAlgorithm.es256, .edDSA])
  func `a relying party verifies the assertion, whose origin is derived from the rpId`(
    _ algorithm: COSEAlgorithm
  ) throws {
    var wire = assertion(json(.object(try requestOptions())), json(Self.success))
    var flow = authentication()
    var signer = try TestCredential(nil, algorithm)
    try flow.start(over: &wire)
    #expect(
      wire.requests.first?.body == Array(#"{"username":"mina","userVerification":"required"}"#.utf8))
    let offer = try flow.collect(over: &wire, among: [authenticator()])
    #expect(offer.appID == "example.com" && offer.challenge == Base64URL.encode(Self.challenge))
    #expect(try offer.sets.joined().map(\.keyIDs) == [[Scene.keyID()]] && offer.leftOut.isEmpty)
    try flow.sign(with: &signer)
    let acceptance = try accepted(try flow.send(over: &wire))
    #expect(acceptance.challenge == offer.challenge && acceptance.token == nil && wire.isUsedUp)
    let sent = try AssertionResponse(parsing: #require(wire.requests.last).body)
    #expect(sent.userHandle == nil)
    let stored = StoredCredential(
      id: try Scene.keyID().bytes, publicKey: try signer.algorithm.key(of: signer.publicKey), signatureCounter: 4,
      isBackupEligible: false, userHandle: [1, 2, 3])
    guard
      case .accepted(let verified) = try AssertionVerification(
        sent, expecting: expectation("example.com", "linux://example.com"), by: stored)
    else { return #expect(Bool(false), "the relying party refused") }
    #expect(verified.signatureCounter == 5 && verified.isUserVerified && !verified.isBackedUp)
  }

  // MARK: Challenges and verdicts of uaf-server

  /// A challenge of uaf-server: its purpose, and the session data after it.
  private func purposed(_ purpose: ChallengePurpose, for username: String = "mina") throws -> [UInt8] {
    let statement = PurposedChallenge.statement(purpose, context: "webauthn \(username)")
    let unique = [UInt8](repeating: 7, count: PurposedChallenge.uniqueByteCount)
    return try PurposedChallenge(purpose, hash: SHA256.hash(statement), unique: unique).challenge.bytes
      + [UInt8](repeating: 9, count: 70)
  }

  /// What collecting options with a challenge leads to.
  private func collect(_ challenge: [UInt8], demandsPurpose: Bool) throws -> Refusal? {
    var settings = Self.settings
    settings.demandsPurpose = demandsPurpose
    let options = PublicKeyCredentialRequestOptions(
      challenge: challenge, relyingPartyID: "example.com",
      allowedCredentials: [CredentialDescriptor(id: try Scene.keyID().bytes)])
    var wire = assertion(json(.object(try answer(options.json))))
    var flow = CredentialAuthentication(settings: settings, rules: WebAuthnSettings(), username: "mina")
    let own = [try authenticator()]
    try flow.start(over: &wire)
    do throws(Refusal) {
      _ = try flow.collect(over: &wire, among: own)
      return nil
    } catch { return error }
  }

  @Test(arguments: [false, true])
  func `signs a challenge of uaf-server for this login, and none for another purpose or another account`(
    demandsPurpose: Bool
  ) throws {
    #expect(try collect(purposed(.login), demandsPurpose: demandsPurpose) == nil)
    for purpose in ChallengePurpose.allCases where purpose != .login {
      let refusal = try collect(purposed(purpose), demandsPurpose: demandsPurpose)
      #expect(refusal?.detail.hasPrefix("attack: ") == true, "\(purpose)")
    }
    #expect(
      try collect(purposed(.login, for: "jun"), demandsPurpose: demandsPurpose)?.detail.hasPrefix("attack: ") == true)
    var unreadable = try purposed(.login)
    unreadable[7] = 9
    #expect(try collect(unreadable, demandsPurpose: demandsPurpose) != nil)
    #expect(try collect(Array(purposed(.login).prefix(40)), demandsPurpose: demandsPurpose) != nil)
  }

  @Test func `refuses a challenge without a purpose if root demands signed verdicts, and only then`() throws {
    #expect(try collect(Self.challenge, demandsPurpose: false) == nil)
    #expect(try collect(Self.challenge, demandsPurpose: true)?.result == .invalidParameter)
  }

  @Test func `the verdict of uaf-server is handed on with what it must be about`() throws {
    let challenge = try purposed(.login)
    let options = PublicKeyCredentialRequestOptions(
      challenge: challenge, relyingPartyID: "example.com",
      allowedCredentials: [CredentialDescriptor(id: try Scene.keyID().bytes)])
    let success = JSONValue.object(["status": .string("ok"), "verdict": .string("a.b.c")])
    var settings = Self.settings
    settings.demandsPurpose = true
    var wire = assertion(json(.object(try answer(options.json))), json(success))
    var flow = CredentialAuthentication(settings: settings, rules: WebAuthnSettings(), username: "mina")
    var signer = try TestCredential()
    try flow.start(over: &wire)
    _ = try flow.collect(over: &wire, among: [authenticator()])
    try flow.sign(with: &signer)
    let acceptance = try accepted(try flow.send(over: &wire))
    #expect(acceptance.tokens == [Token(type: Token.jwt, value: "a.b.c")])
    #expect(acceptance.expected == ExpectedVerdict(.authentication, for: .login, keyIDs: [try Scene.keyID()]))
    #expect(acceptance.challenge == Base64URL.encode(challenge))
    #expect(throws: SignedVerdict.Fault.missing) { try SignedVerdict.check(acceptance, publicKeys: [], now: 0) }
  }

  @Test func `a registration is signed only for a challenge of uaf-server that is one for a registration by code`()
    throws
  {
    for purpose in ChallengePurpose.allCases {
      let options = PublicKeyCredentialCreationOptions(
        relyingParty: RelyingPartyEntity(id: "example.com", name: "Example"),
        user: try UserEntity(id: [1, 2, 3], name: "mina", displayName: "mina"), challenge: try purposed(purpose),
        algorithms: [.es256])
      var wire = attestation(json(.object(try answer(options.json))))
      var flow = registration()
      let own = [try authenticator(rpID: "other.example")]
      try flow.start(over: &wire)
      do throws(Refusal) {
        _ = try flow.collect(over: &wire, among: own)
        #expect(purpose == .registrationByCode)
      } catch { #expect(purpose != .registrationByCode && error.detail.hasPrefix("attack: "), "\(purpose)") }
    }
  }

  @Test func `the response to a server that names no credential contains the user handle`() throws {
    var wire = assertion(json(.object(try requestOptions(allowing: []))), json(Self.success))
    var flow = authentication()
    var signer = try TestCredential()
    try flow.start(over: &wire)
    _ = try flow.collect(over: &wire, among: [authenticator()])
    try flow.sign(with: &signer)
    _ = try flow.send(over: &wire)
    let sent = try AssertionResponse(parsing: #require(wire.requests.last).body)
    #expect(sent.userHandle == [1, 2, 3])
  }

  @Test func `decoys next to the credential change nothing`() throws {
    let decoys = (0..<50).map { [UInt8](repeating: UInt8($0), count: 48) }
    let offer = try collect(json(.object(requestOptions(allowing: decoys + [Scene.keyID().bytes]))))
    #expect(offer.sets.joined().map(\.keyIDs) == [[try Scene.keyID()]])
  }

  @Test func `if the server names only other credentials, the flow ends with 2002 and reports the type as left out`()
    throws
  {
    let refused = refusal(.noSuitableAuthenticator, byServer: false) {
      _ = try collect(json(.object(requestOptions(allowing: [[UInt8](repeating: 9, count: 32)]))))
    }
    #expect(try refused?.cause == .keysNotHere && refused?.leftOut == [Scene.aaid()])
  }

  @Test func `a credential of a different relying party is not offered`() throws {
    _ = refusal(.noSuitableAuthenticator, byServer: false) {
      _ = try collect(json(.object(requestOptions())), rpID: "other.example")
    }
  }

  @Test(arguments: [nil, "login.example.com", "example.com"])
  func `the rpId may be the server's host or a registrable suffix of the host`(_ rpID: String?) throws {
    let offer = try collect(json(.object(requestOptions(rpID))), rpID: rpID ?? "login.example.com")
    #expect(offer.appID == rpID ?? "login.example.com")
  }

  @Test(arguments: [
    "com", "other.com", "ogin.example.com", "a.login.example.com", "EXAMPLE.com", "example.com.", "é.com",
  ])
  func `refuses to sign for an rpId that is not the server's`(_ rpID: String) throws {
    let refused = refusal(.invalidParameter, byServer: true) {
      _ = try collect(json(.object(requestOptions(rpID))), rpID: rpID)
    }
    #expect(refused?.detail.contains("server.rp_id") == true)
  }

  @Test func `if root sets rp_id, no other rpId is accepted`() throws {
    let rules = WebAuthnSettings(relyingPartyID: "other.example")
    #expect(
      try collect(json(.object(requestOptions("other.example"))), rules, rpID: "other.example").appID == "other.example"
    )
    #expect(try collect(json(.object(requestOptions(nil))), rules, rpID: "other.example").appID == "other.example")
    _ = refusal(.invalidParameter, byServer: true) {
      _ = try collect(json(.object(requestOptions("example.com"))), rules)
    }
  }

  @Test func `an origin that root sets is signed unchanged`() throws {
    var wire = assertion(json(.object(try requestOptions())), json(Self.success))
    var flow = authentication(WebAuthnSettings(origin: "https://example.com"))
    var signer = try TestCredential()
    try flow.start(over: &wire)
    _ = try flow.collect(over: &wire, among: [authenticator()])
    try flow.sign(with: &signer)
    _ = try flow.send(over: &wire)
    let sent = try AssertionResponse(parsing: #require(wire.requests.last).body)
    #expect(sent.clientData.origin == "https://example.com")
  }

  @Test(arguments: [nil, "AAAA", "AwMDAwMDAwMDAwMDAwMD", "!"])
  func `refuses options without a challenge, or with a short one`(_ challenge: String?) throws {
    var options = try requestOptions()
    options.set("challenge", .null)
    options.set("challenge", challenge.map(JSONValue.string))
    _ = refusal(.invalidParameter, byServer: true) { _ = try collect(json(.object(options))) }
  }

  @Test func `refuses more credentials than a server ever names`() throws {
    let many = (0..<2000).map { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    _ = refusal(.invalidParameter, byServer: true) { _ = try collect(json(.object(requestOptions(allowing: many)))) }
  }

  @Test func `a refusal is reported in the server's words, cleaned and cut`() throws {
    let words = "\u{1b}[2JNo such user\u{202e}" + String(repeating: "x", count: 10_000)
    let failed = JSONValue.object(["status": .string("failed"), "errorMessage": .string(words)])
    for status in [200, 400, 401, 403, 404] {
      let refused = refusal(.unknown, byServer: true) { _ = try collect(json(failed, status: status)) }
      let told = try #require(refused?.serverText)
      #expect(told.hasPrefix("[2JNo such userx") && told.unicodeScalars.count <= Text.defaultLimit)
      #expect(refused?.saysPlainNo == true && refused?.detail == "the server said no (HTTP status \(status))")
    }
  }

  @Test(arguments: [
    ("text/html", 200, "<html>", FidoResult.jsonParser), ("text/html", 403, "<html>", .jsonParser),
    ("application/json", 200, "[]", .jsonParser), ("application/json", 200, "{", .jsonParser),
    ("application/json", 503, #"{"status":"failed"}"#, .forbidden), ("text/html", 502, "", .forbidden),
    ("application/json", 429, "{}", .forbidden), ("application/json", 302, "{}", .jsonParser),
    ("application/json", 200, #"{"status":"no","challenge":"AwMDAwMDAwMDAwMDAwMDAwMD"}"#, .jsonParser),
    ("application/json", 200, #"{"challenge":"AAAA","challenge":"AAAA"}"#, .jsonParser),
  ])
  func `refuses a reply that is not a relying party's`(
    _ type: String, _ status: Int, _ body: String, _ result: FidoResult
  ) throws {
    let response = TransportResponse(status: status, contentType: type, body: Array(body.utf8))
    _ = refusal(result, byServer: true) { _ = try collect(response) }
  }

  @Test(arguments: [
    (#"{"status":"failed","errorMessage":"no"}"#, 200, FidoResult.unknown), (#"{"status":"ok"}"#, 400, .unknown),
    (#"{"status":"OK"}"#, 200, .jsonParser), (#"{"verified":true}"#, 200, .jsonParser), ("{}", 200, .jsonParser),
    (#"{"status":true}"#, 200, .jsonParser), (#"{"status":"ok"}"#, 201, .jsonParser), ("<html>", 200, .jsonParser),
  ])
  func `accepts only the status ok with HTTP 200 as a success`(_ body: String, _ status: Int, _ result: FidoResult)
    throws
  {
    let response = TransportResponse(status: status, contentType: "application/json", body: Array(body.utf8))
    var wire = assertion(json(.object(try requestOptions())), response)
    var flow = authentication()
    var signer = try TestCredential()
    try flow.start(over: &wire)
    _ = try flow.collect(over: &wire, among: [authenticator()])
    try flow.sign(with: &signer)
    _ = refusal(result, byServer: true) { _ = try flow.send(over: &wire) }
  }

  @Test func `cookies of the options go back with the answer`() throws {
    var wire = assertion(json(.object(try requestOptions()), cookies: "session=a"), json(Self.success))
    var flow = authentication()
    var signer = try TestCredential()
    try flow.start(over: &wire)
    _ = try flow.collect(over: &wire, among: [authenticator()])
    try flow.sign(with: &signer)
    _ = try flow.send(over: &wire)
    #expect(wire.requests.map(\.cookies) == ["", "session=a"])
  }

  @Test func `cookies go to no other host`() throws {
    var settings = Self.settings
    let (asked, answered) = (Self.host + "/assertion/options", "https://other.example.com/result")
    settings.authentication = ServerEndpoint(requestURL: asked, responseURL: answered)
    var wire = ScriptedTransport(
      .answering(asked, json(.object(try requestOptions()), cookies: "session=a")),
      .answering(answered, json(Self.success)))
    var flow = CredentialAuthentication(settings: settings, rules: WebAuthnSettings(), username: "mina")
    var signer = try TestCredential()
    try flow.start(over: &wire)
    _ = try flow.collect(over: &wire, among: [authenticator()])
    try flow.sign(with: &signer)
    _ = try flow.send(over: &wire)
    #expect(wire.requests.last?.cookies == "")
  }

  @Test func `refuses a text to be confirmed before anything is sent`() throws {
    var wire = ScriptedTransport()
    var flow = CredentialAuthentication(
      settings: Self.settings, rules: WebAuthnSettings(), username: "mina", hasText: true)
    _ = refusal(.invalidParameter, byServer: false) { try flow.start(over: &wire) }
  }

  @Test func `refuses a second signature, and an answer that is sent before the signature`() throws {
    var wire = assertion(json(.object(try requestOptions())))
    var flow = authentication()
    var signer = try TestCredential()
    try flow.start(over: &wire)
    _ = try flow.collect(over: &wire, among: [authenticator()])
    var unsigned = flow
    _ = refusal(.requestNotExist, byServer: false) { _ = try unsigned.send(over: &wire) }
    try flow.sign(with: &signer)
    _ = refusal(.requestNotExist, byServer: false) { try flow.sign(with: &signer) }
  }

  @Test(arguments: Scene.failures) func `reports why no answer came`(_ failure: TransportFailure, _ result: FidoResult)
    throws
  {
    var wire = ScriptedTransport(.failing(Self.host + "/assertion/options", failure))
    var flow = authentication()
    try flow.start(over: &wire)
    // A connection that was closed is asked for again.
    guard failure != .afterHandshake(.connectionLost) else { return }
    _ = refusal(result, byServer: failure == .answerTooLarge) {
      _ = try flow.collect(over: &wire, among: [authenticator()])
    }
  }

  @Test func `refuses to begin a UAF flow with a relying party`() throws {
    var settings = Self.settings
    settings.webAuthn = WebAuthnSettings()
    var wire = ScriptedTransport()
    var flow = AuthenticationFlow(settings: settings, username: "mina")
    _ = refusal(.invalidParameter, byServer: false) { try flow.start(over: &wire) }
    #expect(!settings.judgesCodes)
  }

  // MARK: Registration

  private func register(
    _ options: JSONObject, _ rules: WebAuthnSettings = WebAuthnSettings(), entitlement: Entitlement = .none
  ) throws -> (response: AttestationResponse, asked: [UInt8]) {
    var wire = attestation(json(.object(options)), json(Self.success))
    var flow = registration(rules, entitlement: entitlement)
    var maker = try TestCredential()
    try flow.start(over: &wire)
    let offer = try flow.collect(over: &wire, among: [Scene.authenticator(keys: [])])
    _ = try flow.makeKey(with: &maker)
    #expect(try accepted(try flow.send(over: &wire)).challenge == offer.challenge && wire.isUsedUp)
    let (rpID, userHandle) = (maker.madeFor, maker.userHandle)
    #expect(rpID == "example.com" && userHandle == [1, 2, 3])
    return (try AttestationResponse(parsing: #require(wire.requests.last).body), wire.requests[0].body)
  }

  @Test(arguments: [AttestationConveyance.none, .direct])
  func `a relying party verifies the new credential`(_ attestation: AttestationConveyance) throws {
    let (response, asked) = try register(creationOptions(attestation: attestation))
    let verification = try RegistrationVerification(
      response, expecting: expectation("example.com", "linux://example.com"), algorithms: [.es256])
    guard case .accepted(let credential) = verification else {
      return #expect(Bool(false), "the relying party refused")
    }
    #expect(credential.aaguid.description == TestCredential.aaguid && credential.isUserVerified)
    #expect(!credential.isBackupEligible && response.transports == ["internal"])
    #expect(response.attestationObject.statement.format == (attestation == .none ? "none" : "packed"))
    #expect(
      String(decoding: asked, as: UTF8.self)
        == #"{"username":"mina","displayName":"mina","authenticatorSelection":{"requireResidentKey":false,"#
        + #""userVerification":"required"},"attestation":"none"}"#)
  }

  private func refusedRegistration(
    _ result: FidoResult, byServer: Bool, _ options: JSONObject, keys: [KeyID] = []
  ) throws -> Refusal? {
    var (wire, flow) = (attestation(json(.object(options))), registration())
    try flow.start(over: &wire)
    let authenticators = [try Scene.authenticator(keys: keys, appID: "example.com")]
    return refusal(result, byServer: byServer) { _ = try flow.collect(over: &wire, among: authenticators) }
  }

  @Test func `refuses options for a different account`() throws {
    _ = try refusedRegistration(.invalidParameter, byServer: true, creationOptions(user: "eve"))
  }

  @Test func `refuses options for a different relying party`() throws {
    _ = try refusedRegistration(.invalidParameter, byServer: true, creationOptions("other.example"))
  }

  @Test func `refuses options that offer only algorithms that this client does not have`() throws {
    let refused = try refusedRegistration(
      .noSuitableAuthenticator, byServer: false, creationOptions(algorithms: [.rs256]))
    #expect(refused?.cause == .typesNotAccepted && refused?.detail.contains("neither ES256 nor EdDSA") == true)
  }

  @Test(
    arguments: [
      ([COSEAlgorithm.edDSA], COSEAlgorithm.edDSA), ([.rs256, .edDSA], .edDSA), ([.edDSA, .es256], .es256),
      ([.edDSA, .rs256, .es256], .es256),
    ], [AttestationConveyance.none, .direct])
  func `a credential is EdDSA only where the server does not take ES256`(
    _ offer: (algorithms: [COSEAlgorithm], made: COSEAlgorithm), _ attestation: AttestationConveyance
  ) throws {
    let (response, _) = try register(creationOptions(algorithms: offer.algorithms, attestation: attestation))
    let verification = try RegistrationVerification(
      response, expecting: expectation("example.com", "linux://example.com"), algorithms: offer.algorithms)
    guard case .accepted(let credential) = verification else { return #expect(Bool(false)) }
    #expect(credential.publicKey.algorithm == offer.made)
  }

  @Test func `refuses options that ask for a security key`() throws {
    _ = try refusedRegistration(.noSuitableAuthenticator, byServer: false, creationOptions(attachment: .crossPlatform))
  }

  @Test func `an authenticator whose credential the server excludes is reported as registered already`() throws {
    let refused = try refusedRegistration(
      .noSuitableAuthenticator, byServer: false, creationOptions(excluding: [Scene.keyID().bytes]),
      keys: [Scene.keyID()])
    #expect(refused?.cause == .registeredAlready)
  }

  @Test func `a code is sent in the member that the configuration names`() throws {
    let (_, asked) = try register(
      creationOptions(), WebAuthnSettings(codeMember: "token"), entitlement: .plainCode("a b"))
    #expect(String(decoding: asked, as: UTF8.self).hasSuffix(#""attestation":"none","token":"a b"}"#))
  }

  @Test func `without a configured member a code is sent in a header, with both requests`() throws {
    var wire = attestation(json(.object(try creationOptions())), json(Self.success))
    var flow = registration(entitlement: .plainCode("abc-1~2="))
    var maker = try TestCredential()
    try flow.start(over: &wire)
    _ = try flow.collect(over: &wire, among: [Scene.authenticator(keys: [])])
    _ = try flow.makeKey(with: &maker)
    _ = try flow.send(over: &wire)
    #expect(wire.requests.map(\.authorization) == ["Bearer abc-1~2=", "Bearer abc-1~2="])
  }

  @Test(arguments: ["", "a b", "a\r\nX: 1", "ä", "a,b", String(repeating: "x", count: 513)])
  func `refuses a code that no header can carry, before anything is sent`(_ code: String) throws {
    var (wire, flow) = (ScriptedTransport(), registration(entitlement: .plainCode(code)))
    _ = refusal(.invalidParameter, byServer: false) { try flow.start(over: &wire) }
    #expect(wire.requests.isEmpty)
  }

  @Test func `sends a code of uaf-server where the conformance interface has codes, in a header or a member`() throws {
    let code = try #require(EnrolmentCode(random: [UInt8](repeating: 1, count: EnrolmentCode.randomByteCount)))
    let settings = [WebAuthnSettings(), WebAuthnSettings(codeMember: "token")]
    let requests = try settings.map { rules in
      var wire = attestation(json(.object(try creationOptions())), json(Self.success))
      var flow = registration(rules, entitlement: .code(code))
      try flow.start(over: &wire)
      return try #require(wire.requests.first)
    }
    #expect(requests.map(\.authorization) == ["Bearer \(code.text)", nil])
    let bodies = requests.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(bodies.map { $0.contains(#""token":"\#(code.text)""#) } == [false, true])
  }

  @Test
  func `refuses a code of uaf-server at products that take none, and a proof everywhere, before anything is sent`()
    throws
  {
    let code = try #require(EnrolmentCode(random: [UInt8](repeating: 1, count: EnrolmentCode.randomByteCount)))
    let products = WebAuthnInterface.allCases.filter { $0 != .conformance }
    for (rules, entitlement) in products.map({ (WebAuthnSettings(interface: $0), Entitlement.code(code)) })
      + [(WebAuthnSettings(), .proof("x"))]
    {
      var (wire, flow) = (ScriptedTransport(), registration(rules, entitlement: entitlement))
      let refused = refusal(.invalidParameter, byServer: false) { try flow.start(over: &wire) }
      #expect(refused?.cause == .codesNotJudged && wire.requests.isEmpty)
    }
  }
}

/// An authenticator with one real credential.
struct TestCredential: CredentialSigner, CredentialMaker, ~Copyable {
  static let aaguid = "01020304-0506-0708-090a-0b0c0d0e0f10"

  let aaid: AAID
  let aaguid: AAGUID
  let keyID: KeyID
  let signCounter: UInt32 = 5
  private(set) var userHandle: [UInt8] = [1, 2, 3]
  private(set) var madeFor: String?
  private(set) var algorithm: COSEAlgorithm
  private let pair: P256.KeyPair
  private let edwards: Secret

  init(_ key: KeyID? = nil, _ algorithm: COSEAlgorithm = .es256) throws {
    let (model, key) = (try Scene.aaid(), try key ?? Scene.keyID())
    let aaguid = try #require(AAGUID(text: Self.aaguid))
    let edwards = try RandomBytes.makeSecret(Ed25519.privateKeyByteCount)
    pair = try P256.generate()
    self.edwards = edwards
    self.algorithm = algorithm
    self.aaguid = aaguid
    aaid = model
    keyID = key
  }

  var publicKey: [UInt8] {
    get throws { algorithm == .edDSA ? try Ed25519.publicKey(of: edwards) : pair.publicKey }
  }

  mutating func makeCredential(
    relyingPartyID: String, userHandle: [UInt8], _ algorithm: COSEAlgorithm
  ) throws(SigningFailure) -> NewKey {
    (madeFor, self.userHandle, self.algorithm) = (relyingPartyID, userHandle, algorithm)
    do { return NewKey(keyID: keyID, publicKey: try publicKey, signCounter: 0, regCounter: 1) } catch {
      throw SigningFailure(.cannotUse, detail: "\(error)")
    }
  }

  mutating func sign(credentialData: [UInt8]) throws(SigningFailure) -> [UInt8] {
    do throws(CryptoError) {
      return algorithm == .edDSA
        ? try Ed25519.sign(credentialData, privateKey: edwards)
        : try P256.sign(credentialData, privateKey: pair.privateKey)
    } catch { throw SigningFailure(.cannotUse, detail: error.description) }
  }
}
