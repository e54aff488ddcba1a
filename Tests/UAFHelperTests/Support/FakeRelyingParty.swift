import Testing
import UAFClient
import UAFCrypto
import UAFMessages
import WebAuthn

/// A WebAuthn relying party that verifies responses, and keeps credentials and sessions as a real one does.
final class FakeRelyingParty {
  /// The origins that the relying party accepts.
  var origins = ["linux://localhost"]
  /// The rpId in the relying party's options.
  var rpID = "localhost"
  var attestation = AttestationConveyance.none
  /// The algorithms that the relying party takes.
  var algorithms: [COSEAlgorithm] = [.es256]
  /// The reply at addresses that end with this path, instead of the usual one.
  var instead: (path: String, response: TransportResponse)?
  /// Whether the options name the allowed credentials.
  var namesCredentials = true
  /// The credentials of each account.
  private(set) var credentials: [String: [StoredCredential]] = [:]
  /// The AAGUIDs of the registered credentials.
  private(set) var models: [String] = []
  /// Why responses were refused.
  private(set) var refusals: [CeremonyRefusal] = []
  /// The members of the last request for the options of a registration.
  private(set) var lastQuestion: JSONObject = [:]
  private var sessions: [String: (user: String, challenge: [UInt8])] = [:]
  private var made: UInt8 = 0

  /// Forgets every credential, as after a revocation.
  func forget() { credentials = [:] }

  func answer(_ request: TransportRequest) -> TransportResponse {
    if let instead, request.url.hasSuffix(instead.path) { return instead.response }
    do {
      let body = try JSONValue(parsing: request.body)
      guard request.contentType == "application/json", request.machineProof == nil, case .object(let object) = body
      else { return failed("not a question of WebAuthn") }
      if request.url.hasSuffix("/options") { return try options(request, object) }
      let session = request.cookies?.split(separator: "=").last.map(String.init) ?? ""
      guard let known = sessions.removeValue(forKey: session) else { return failed("no session") }
      if request.url.hasSuffix("/attestation/result") { return try register(request.body, known) }
      return try authenticate(request.body, known)
    } catch {
      Issue.record(error)
      return failed("\(error)")
    }
  }

  private func options(_ request: TransportRequest, _ object: JSONObject) throws -> TransportResponse {
    guard case .string(let user)? = object["username"] else { return failed("no name") }
    made += 1
    let challenge = [UInt8](repeating: made, count: 32)
    sessions["s\(made)"] = (user, challenge)
    let own = credentials[user, default: []].map { CredentialDescriptor(id: $0.id) }
    guard request.url.hasSuffix("/attestation/options") else {
      if own.isEmpty { return failed("\(user) has no credential") }
      let options = PublicKeyCredentialRequestOptions(
        challenge: challenge, relyingPartyID: rpID, allowedCredentials: namesCredentials ? own : [])
      return ok(options.json, session: "s\(made)")
    }
    lastQuestion = object
    let options = PublicKeyCredentialCreationOptions(
      relyingParty: RelyingPartyEntity(id: rpID, name: "Test"),
      user: try UserEntity(id: Array(user.utf8), name: user, displayName: user), challenge: challenge,
      algorithms: algorithms, excludedCredentials: own, attestation: attestation)
    return ok(options.json, session: "s\(made)")
  }

  private func expectation(_ challenge: [UInt8]) throws -> CeremonyExpectation {
    CeremonyExpectation(
      challenge: challenge, origins: origins, relyingPartyID: try RelyingPartyID(rpID), requiresUserVerification: true)
  }

  private func register(_ body: [UInt8], _ session: (user: String, challenge: [UInt8])) throws -> TransportResponse {
    let response = try AttestationResponse(parsing: body)
    let verification = try RegistrationVerification(
      response, expecting: expectation(session.challenge), algorithms: algorithms)
    switch verification {
    case .refused(let refusal): return refused(refusal)
    case .accepted(let credential):
      credentials[session.user, default: []].append(
        StoredCredential(
          id: credential.id, publicKey: credential.publicKey, signatureCounter: credential.signatureCounter,
          isBackupEligible: credential.isBackupEligible, userHandle: Array(session.user.utf8)))
      models.append(credential.aaguid.description)
      return ok(.object([:]))
    }
  }

  private func authenticate(
    _ body: [UInt8], _ session: (user: String, challenge: [UInt8])
  ) throws -> TransportResponse {
    let response = try AssertionResponse(parsing: body)
    guard let index = credentials[session.user]?.firstIndex(where: { $0.id == response.credentialID }),
      let credential = credentials[session.user]?[index]
    else { return failed("unknown credential") }
    guard namesCredentials || response.userHandle == credential.userHandle else { return failed("no user handle") }
    let verification = try AssertionVerification(response, expecting: expectation(session.challenge), by: credential)
    switch verification {
    case .refused(let refusal): return refused(refusal)
    case .accepted(let assertion):
      credentials[session.user]?[index].signatureCounter = assertion.signatureCounter
      return ok(.object([:]))
    }
  }

  private func refused(_ refusal: CeremonyRefusal) -> TransportResponse {
    refusals.append(refusal)
    return failed(refusal.description)
  }

  private func ok(_ value: JSONValue, session: String? = nil) -> TransportResponse {
    guard case .object(var object) = value else { return failed("no object") }
    object.set("status", .string("ok"))
    object.set("errorMessage", .string(""))
    return answer(object, status: 200, session)
  }

  private func failed(_ words: String) -> TransportResponse {
    answer(["status": .string("failed"), "errorMessage": .string(words)], status: 400, nil)
  }

  private func answer(_ object: JSONObject, status: Int, _ session: String?) -> TransportResponse {
    TransportResponse(
      status: status, contentType: "application/json", body: JSONValue.object(object).bytes,
      cookies: session.map { "session=\($0)" } ?? "")
  }
}
