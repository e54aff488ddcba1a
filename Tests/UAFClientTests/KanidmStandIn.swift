import Testing
import UAFCrypto
import UAFMessages
import WebAuthn

@testable import UAFClient

/// A stand-in for kanidm, which cannot be had here: it answers in the forms of kanidm's published types, and verifies responses.
///
/// The types are those of the crates kanidm_proto (`v1/auth.rs`, `internal/credupdate.rs`) and webauthn-rs-proto. What such a
/// server does beyond its types was read from its sources, and may differ between versions.
struct KanidmStandIn: Transport {
  static let base = "https://idm.example.com"
  static let origin = "https://idm.example.com"
  static let account = "mina@idm.example.com"

  /// One request, by what it asks for.
  enum Step: String, CaseIterable { case exchange, passkeyinit, passkeyfinish, commit, init2, begin, cred }

  /// The one account's passkeys.
  private(set) var passkeys: [(uuid: String, tag: String, credential: StoredCredential)] = []
  private(set) var requests: [TransportRequest] = []
  /// The steps that were asked for, in order.
  private(set) var steps: [Step] = []
  /// Changes the answer to a step.
  var twists: [Step: (TransportResponse) -> TransportResponse] = [:]
  /// The token of a credential reset that is valid once.
  var resetToken = "8hMEe-WYhLr-vfStK-EENR5"
  /// The keys that a registration has added, but not committed yet.
  private var pending: [(uuid: String, tag: String, credential: StoredCredential)]?
  /// The challenge that the next response has to answer.
  private var challenge: [UInt8]?
  private var session: String?
  private var made: UInt8 = 40
  private var answer: TransportResponse?

  mutating func begin(_ request: TransportRequest) throws(TransportFailure) {
    requests.append(request)
    do { answer = try respond(to: request) } catch {
      Issue.record(error)
      throw .unavailable
    }
  }

  mutating func finish() throws(TransportFailure) -> TransportResponse {
    guard let answer = answer.take() else { throw .unavailable }
    return answer
  }

  private mutating func respond(to request: TransportRequest) throws -> TransportResponse {
    let body = try JSONValue(parsing: request.body)
    switch (request.url, body) {
    case (Self.base + "/v1/credential/_exchange_intent", .string(let token)): return try exchange(token)
    case (Self.base + "/v1/credential/_update", .array(let parts)): return try update(parts)
    case (Self.base + "/v1/credential/_commit", .object(let token)): return try commit(token)
    case (Self.base + "/v1/auth", .object(let object)): return try authenticate(object, request)
    default:
      Issue.record("no such request: \(request.url)")
      return Self.text("", status: 404)
    }
  }

  // MARK: Registering

  private mutating func exchange(_ token: String) throws -> TransportResponse {
    guard token == resetToken else { return reply(.exchange, Self.text(#""sessionexpired""#, status: 401)) }
    resetToken = ""
    pending = passkeys
    return try reply(.exchange, #"[{"token":"cu1"},\#(status("\"None\""))]"#)
  }

  private func status(_ state: String) -> String {
    let keys = (pending ?? []).map { #"{"uuid":"\#($0.uuid)","tag":"\#($0.tag)"}"# }.joined(separator: ",")
    return #"{"spn":"\#(Self.account)","displayname":"Mina","ext_cred_portal":"None","mfaregstate":\#(state),"#
      + #""can_commit":true,"warnings":[],"primary":null,"primary_state":"Modifiable","passkeys":[\#(keys)],"#
      + #""passkeys_state":"Modifiable","attested_passkeys":[],"attested_passkeys_state":"Modifiable","#
      + #""attested_passkeys_allowed_devices":[]}"#
  }

  private mutating func update(_ parts: [JSONValue]) throws -> TransportResponse {
    guard parts.count == 2, parts[1] == .object(["token": .string("cu1")]), pending != nil else {
      return reply(.passkeyinit, Self.text(#""invalidstate""#, status: 500))
    }
    if parts[0] == .string("passkeyinit") {
      let options = PublicKeyCredentialCreationOptions(
        relyingParty: RelyingPartyEntity(id: "idm.example.com", name: "Example"),
        user: try UserEntity(id: [1, 2, 3], name: Self.account, displayName: "Mina"), challenge: newChallenge(),
        algorithms: [.es256, .rs256], excludedCredentials: passkeys.map { CredentialDescriptor(id: $0.credential.id) },
        attestation: .none)
      return try reply(.passkeyinit, status(#"{"Passkey":{"publicKey":\#(options.json.text)}}"#))
    }
    guard case .object(let change) = parts[0], case .array(let finish)? = change["passkeyfinish"], finish.count == 2,
      case .string(let tag) = finish[0], let challenge = challenge.take()
    else { return reply(.passkeyfinish, Self.text(#""invalidrequeststate""#, status: 500)) }
    let verification = try RegistrationVerification(
      AttestationResponse(json: finish[1]), expecting: expectation(challenge), algorithms: [.es256, .rs256])
    guard case .accepted(let key) = verification else {
      return reply(.passkeyfinish, Self.text(#""webauthn""#, status: 500))
    }
    let credential = StoredCredential(
      id: key.id, publicKey: key.publicKey, signatureCounter: key.signatureCounter,
      isBackupEligible: key.isBackupEligible, userHandle: [1, 2, 3])
    pending?.append(("u\(passkeys.count)", tag, credential))
    return try reply(.passkeyfinish, status("\"None\""))
  }

  private mutating func commit(_ token: JSONObject) throws -> TransportResponse {
    guard token == ["token": .string("cu1")], let new = pending.take() else {
      return reply(.commit, Self.text(#""invalidstate""#, status: 500))
    }
    passkeys = new
    return try reply(.commit, "null")
  }

  // MARK: Logging in

  private mutating func authenticate(_ object: JSONObject, _ request: TransportRequest) throws -> TransportResponse {
    guard let step = object.value(at: "step"), case .object(let step) = step else { throw DialectFault.missing("step") }
    if case .object(let start)? = step["init2"] {
      guard start["username"] == .string("mina"), start["issue"] == .string("token"),
        start["privileged"] == .bool(false)
      else { return reply(.init2, Self.text(#""nomatchingentries""#, status: 404)) }
      return try continued(
        .init2, passkeys.isEmpty ? #"{"choose":["password"]}"# : #"{"choose":["password","passkey"]}"#)
    }
    let name: Step = step["begin"] == nil ? .cred : .begin
    guard let session, request.headers == [HeaderField(.kanidmSession, session)] else {
      return reply(name, Self.text(#"{"invalidauthstate":"session id not present"}"#, status: 500))
    }
    if step["begin"] == .string("passkey") {
      let options = PublicKeyCredentialRequestOptions(
        challenge: newChallenge(), relyingPartyID: "idm.example.com",
        allowedCredentials: passkeys.map { CredentialDescriptor(id: $0.credential.id) })
      return try continued(.begin, #"{"continue":[{"passkey":{"publicKey":\#(options.json.text)}}]}"#)
    }
    guard case .object(let cred)? = step["cred"], let response = cred["passkey"], let challenge = challenge.take()
    else {
      return reply(.cred, Self.text(#""invalidauthstate""#, status: 500))
    }
    self.session = nil
    let assertion = try AssertionResponse(json: response)
    guard let key = passkeys.first(where: { $0.credential.id == assertion.credentialID })?.credential,
      case .accepted = try AssertionVerification(assertion, expecting: expectation(challenge), by: key)
    else { return try reply(.cred, #"{"sessionid":"00000000","state":{"denied":"invalid passkey"}}"#) }
    return try reply(.cred, #"{"sessionid":"00000000","state":{"success":"eyJ.uat.sig"}}"#)
  }

  private mutating func newChallenge() -> [UInt8] {
    made += 1
    let new = [UInt8](repeating: made, count: 32)
    challenge = new
    return new
  }

  private func expectation(_ challenge: [UInt8]) throws -> CeremonyExpectation {
    CeremonyExpectation(
      challenge: challenge, origins: [Self.origin], relyingPartyID: try RelyingPartyID("idm.example.com"),
      requiresUserVerification: true)
  }

  // MARK: Answers

  private mutating func continued(_ step: Step, _ state: String) throws -> TransportResponse {
    made += 1
    session = "eyJ.session.\(made)"
    return try reply(step, #"{"sessionid":"00000000","state":\#(state)}"#, session: session)
  }

  private mutating func reply(_ step: Step, _ body: String, session: String? = nil) throws -> TransportResponse {
    reply(step, Self.json(body, session: session))
  }

  private mutating func reply(_ step: Step, _ response: TransportResponse) -> TransportResponse {
    steps.append(step)
    return twists[step]?(response) ?? response
  }

  static func json(_ body: String, status: Int = 200, session: String? = nil) -> TransportResponse {
    TransportResponse(
      status: status, contentType: "application/json", body: Array(body.utf8), cookies: "", session: session)
  }

  /// An error, whose media type is that of a text although it is JSON.
  static func text(_ body: String, status: Int) -> TransportResponse {
    TransportResponse(
      status: status, contentType: "text/plain; charset=utf-8", body: Array(body.utf8), cookies: "")
  }
}
