import UAFCrypto
import UAFMessages

/// Answers `/uaf/respond`: verifies an answer, and stores what was verified.
///
/// Each stage has a type. An ``IssuedRequest`` was sent, and a ``ReceivedResponse`` answers it. By the rules of ``Verifier``,
/// its assertions become ``VerifiedAuthentication`` or ``VerifiedRegistration``. These are stored, those of an authentication
/// as a ``VerifiedResponse``. The ``ResponseOutcome`` goes to the HTTP layer.
package struct ResponseService: Sendable {
  package let environment: ServiceEnvironment

  package init(environment: ServiceEnvironment) {
    self.environment = environment
  }

  /// The most assertions of one answer; no policy requires nearly as many.
  ///
  /// Each costs one verification of a signature, and an attacker who knows a KeyID could send hundreds.
  package static let maximumAssertions = 16

  /// Reads an answer, without the store.
  ///
  /// - Throws: ``ServiceRefusal``; anything else only if something failed.
  package func read(_ body: SendUAFResponse) throws -> ReceivedResponse {
    let response: UAFResponse
    do {
      response = try UAFResponse(parsing: body.uafResponse)
    } catch { throw ServiceRefusal(error) }
    guard Self.assertionCount(response) <= Self.maximumAssertions else { throw ServiceRefusal.malformedMessage }
    var context: RequestContext?
    if let text = body.context {
      guard let parsed = try? RequestContext(parsing: text, limits: JSONLimits(maximumBytes: 65_536)) else {
        throw ServiceRefusal.malformedRequest
      }
      context = parsed
    }
    guard let parameters = try? FinalChallengeParams(encoded: response.fcParams),
      let challenge = try? Base64URL.decode(parameters.challenge, maximumCount: 64)
    else { throw ServiceRefusal.malformedFinalChallenge }
    // Forged session data is refused here, before the store is used.
    guard let text = response.header.serverData,
      let serverData = try ServerDataSeal(keys: environment.keys).open(text, challenge: challenge),
      case .marked(let marked)? = (try? ServerChallenge(bytes: challenge)).map(PurposedChallenge.read),
      marked.purpose == serverData.purpose
    else { throw ServiceRefusal.invalidServerData }
    guard serverData.expiresAt > environment.now() else { throw ServiceRefusal.expiredChallenge }
    return ReceivedResponse(
      response: response, serverData: serverData, serverDataText: text,
      challengeHash: try SHA256.hash(challenge),
      challenge: IssuedChallenge(hash: try SHA256.hash(marked.unique), expiresAt: serverData.expiresAt),
      parameters: parameters, context: context,
      service: try Self.service(context, sent: body.context, with: marked))
  }

  /// The service that an answer names, if its request named the same one.
  ///
  /// The challenge contains a hash of the request's context, and the client signs it only if that context is its own. So a
  /// program between the two can leave the name out, but cannot put a different one in its place.
  private static func service(
    _ context: RequestContext?, sent text: String?, with challenge: PurposedChallenge
  ) throws(CryptoError) -> PAMServiceName? {
    guard let service = context?.service, let text else { return nil }
    let hash = try SHA256.hash(PurposedChallenge.statement(challenge.purpose, context: text))
    return hash.starts(with: challenge.binding) ? service : nil
  }

  /// Verifies an answer, and stores what was verified.
  ///
  /// - Parameters:
  ///   - machine: the machine that has proved itself with the answer; a machine that has not gets its secret if the answer is
  ///     accepted.
  ///   - address: where the answer came from, for the audit; empty if that is not known.
  /// - Throws: only if something failed; a refusal is returned.
  package func respond(
    _ received: ReceivedResponse, from machine: KnownMachine? = nil, at address: String = ""
  ) async throws -> ResponseOutcome {
    do {
      // The account is the one of the request. A client that names a different one is refused.
      if let name = received.context?.username, !name.isIdentical(to: received.serverData.username) {
        throw ServiceRefusal.otherUser
      }
      let shared = ResponseProcessing(
        environment: environment, identity: try environment.identity(), received: received, now: environment.now(),
        machine: machine, address: address)
      switch (received.response, received.operation) {
      case (.registration(let response), .registration):
        return try await RegistrationResponseProcessing(shared: shared, response: response).process()
      case (.authentication(let response), .authentication):
        return try await AuthenticationResponseProcessing(shared: shared, response: response).process()
      default:
        throw ServiceRefusal.otherOperation
      }
    } catch let refusal as ServiceRefusal {
      return .refused(refusal)
    }
  }

  private static func assertionCount(_ response: UAFResponse) -> Int {
    switch response {
    case .registration(let response): response.assertions.count
    case .authentication(let response): response.assertions.count
    }
  }
}

/// An answer that was read and that belongs to a request of this server; the request has not expired.
package struct ReceivedResponse: Sendable {
  let response: UAFResponse
  let serverData: ServerData
  /// The session data as it was sent.
  let serverDataText: String
  package let challengeHash: [UInt8]
  /// The challenge in the form in which a store keeps it.
  let challenge: IssuedChallenge
  /// The account of the request.
  package var username: String { serverData.username }
  /// The operation of the request.
  package var operation: UAFOperation { serverData.operation }
  /// The final challenge parameters of the response.
  let parameters: FinalChallengeParams
  /// The context that the client sends with the message: it contains a long transaction text once more, and what allows new
  /// keys.
  let context: RequestContext?
  /// The PAM service that the machine names, in its request and again in its answer; nothing is decided by it.
  let service: PAMServiceName?

  /// Whether a refused answer comes from somebody with authority for the account: with one of the account's keys, or with the
  /// code or the proof with which its request was made.
  package func isAuthorised(refused refusal: ServiceRefusal) -> Bool {
    serverData.operation != .authentication || serverData.approvalID != nil || refusal.isOfSignedAnswer
  }

  /// The row of the audit for the refusal of this answer, with the keys that the answer names.
  package func event(refused refusal: ServiceRefusal, from address: String, now: Int64) -> AuditEntry {
    let kind: AuditKind =
      switch serverData.operation {
      case .registration: .registration
      case .authentication: serverData.approvalID == nil && serverData.text == .none ? .login : .confirmation
      case .deregistration: .deregistration
      }
    return AuditEntry(
      time: now, kind: kind, outcome: refusal.rawValue, account: username, actor: .person, address: address,
      authenticators: namedKeys.joined(separator: ", "), detail: detail())
  }

  /// The detail of this answer's row of the audit: what it confirms, and the service; empty without both.
  ///
  /// - Parameter confirmed: members about the confirmed text.
  func detail(confirming confirmed: JSONObject = JSONObject()) -> String {
    var object = confirmed
    object.set("service", service.map { .string($0.text) })
    return object.members.isEmpty ? "" : JSONValue.object(object).text
  }

  /// The first two keys that an authentication names; a long KeyID is cut off after 64 characters.
  private var namedKeys: [String] {
    guard case .authentication(let response) = response else { return [] }
    return response.assertions.prefix(2).compactMap { envelope in
      guard let assertion = try? UnverifiedAuthenticationAssertion(parsing: envelope.assertion) else { return nil }
      return "\(assertion.aaid.text) \(assertion.keyID.text.prefix(64))"
    }
  }
}

/// What the processing of every response needs, whatever its operation.
struct ResponseProcessing: Sendable {
  let environment: ServiceEnvironment
  let identity: ServerIdentity
  let received: ReceivedResponse
  /// Seconds since 1970.
  let now: Int64
  /// The machine that has proved itself with the answer; nil for an unknown one.
  var machine: KnownMachine?
  /// Where the answer came from; empty if that is not known.
  var address = ""

  var verifier: Verifier {
    Verifier(
      identity: identity, models: environment.models, now: now, verificationMethods: environment.verificationMethods)
  }

  /// The secret for the machine that has signed with these keys; nil if the machine has proved that it already has the secret.
  ///
  /// A machine that sends its device ID gets the secret that belongs to the account's first usable key on that machine. So when
  /// an unlock is issued, the server knows which secret the machine has. A machine that sends no ID gets the secret of any
  /// usable key of the account.
  ///
  /// - Parameter stored: the keys of the account in the order of their registration.
  /// - Throws: ``CryptoError``.
  func machineSecret(ofSigning keyIDs: [KeyID], among stored: [StoredKey]) throws -> MachineSecret? {
    let data = received.serverData
    let usable = stored.filter { !$0.isRevoked }
    let claim = MachineClaim(operation: data.operation, isAnswer: true, username: data.username)
    let device = usable.first { keyIDs.contains($0.keyID) }?.deviceID
    let first = device.flatMap { Self.firstKey(on: $0, among: usable) }.map { [$0] }
    let proofs = MachineProofs(keys: environment.keys)
    // The secret that a machine received when it joined belongs to no account.
    if let machine, machine.isCurrent, !machine.isJoined, machine.claim == claim,
      try proofs.isNumber(machine.machineID, of: data.username, holding: first ?? usable.map(\.keyID))
    {
      return nil
    }
    return try proofs.secret(of: data.username, holding: first ?? keyIDs)
  }

  /// The secret for a machine that registers keys: it belongs to the account's first usable key on that machine, which may be a
  /// new key.
  ///
  /// The machine receives it even if it has proved itself: with its first key there was nothing yet that it could prove.
  ///
  /// - Parameters:
  ///   - device: the machine's ID; nil if it sends none.
  ///   - stored: the keys that the account keeps, in the order of their registration.
  /// - Throws: ``CryptoError``.
  func machineSecret(
    ofRegistering keyIDs: [KeyID], on device: String?, keeping stored: [StoredKey]
  ) throws -> MachineSecret? {
    let first = device.flatMap { Self.firstKey(on: $0, among: stored.filter { !$0.isRevoked }) }
    return try MachineProofs(keys: environment.keys).secret(
      of: received.username, holding: first.map { [$0] } ?? keyIDs)
  }

  private static func firstKey(on device: String, among usable: [StoredKey]) -> KeyID? {
    usable.first { $0.deviceID == device }?.keyID
  }

  /// The token that states what was accepted, and that covers the machine's new secret.
  ///
  /// It must not leave the server before the result that it states is stored.
  ///
  /// - Parameters:
  ///   - keyIDs: the keys that have signed, or are registered.
  ///   - text: the confirmed text.
  ///   - deviceID: the machine whose keys are registered.
  ///   - mark: the digest of the account's revoked keys, for a proof that allows further keys.
  func token(
    for keyIDs: [KeyID], confirming text: TransactionText? = nil, on deviceID: String? = nil,
    with secret: MachineSecret?, marked mark: [UInt8]? = nil
  ) throws -> Token {
    let data = received.serverData
    var claims = VerdictClaims(
      issuer: identity.appID, subject: data.username, operation: data.operation, purpose: data.purpose,
      challengeHash: Base64URL.encode(received.challengeHash), issuedAt: now, expiresAt: now + VerdictToken.lifetime,
      tokenID: Base64URL.encode(try environment.random(16)))
    claims.use = data.use
    claims.proofSubject = data.proofSubject.isEmpty ? nil : Base64URL.encode(data.proofSubject)
    claims.revocationMark = mark
    claims.keyIDs = keyIDs.map(\.text)
    claims.textHash = try text.map { Base64URL.encode(try SHA256.hash(Array($0.shown.utf8))) }
    claims.deviceID = deviceID
    claims.machineHash = try secret.map { Base64URL.encode(try SHA256.hash($0.bytes)) }
    return Token(type: Token.jwt, value: try VerdictToken(keys: environment.keys).sign(claims))
  }
}

/// The outcome of a `/uaf/respond`: the one result between verification and HTTP.
///
/// During the processing, a refusal is thrown as a ``ServiceRefusal``.
package enum ResponseOutcome: Sendable {
  /// The verdict's token; the machine's new secret, if it gets one; for the log, the keys and whether the machine kept an
  /// earlier name; and the lost keys that the new ones have replaced.
  case accepted(
    token: Token, machineSecret: MachineSecret?, keys: [AcceptedKey], ignoresDeviceName: Bool = false,
    forgotten: [KeyID] = [])
  /// The reason; and the stored counter of the key, if the counter in the answer was not higher.
  case refused(ServiceRefusal, seen: SeenCounter? = nil)
}

/// A key of an accepted answer, for the log.
package struct AcceptedKey: Equatable, Sendable {
  package let aaid: AAID
  package let keyID: KeyID
}

/// The processing of one authentication response (UAF protocol 1.1, section 3.5.7.5).
///
/// It reads, verifies outside any transaction, and then stores in one commit.
struct AuthenticationResponseProcessing {
  let shared: ResponseProcessing
  let response: AuthenticationResponse

  private var environment: ServiceEnvironment { shared.environment }
  private var data: ServerData { shared.received.serverData }

  /// The store's records of the account and the challenge.
  private struct Found: Sendable {
    let isUsed: Bool
    let keys: [StoredKey]
    /// The text of the approval; nil if there is no approval, or it is no longer reserved by this challenge.
    let approvalText: String?
  }

  /// Verifies the answer, and stores what was verified.
  ///
  /// A refused answer stores nothing. Its request can still be answered until it expires.
  ///
  /// - Throws: ``ServiceRefusal``; anything else only if something failed.
  func process() async throws -> ResponseOutcome {
    let found = try await find()
    guard !found.isUsed else { throw ServiceRefusal.unknownChallenge }
    let text = try confirmed(found)
    let decoys = try self.decoys(besides: found.keys)
    let issued = try issued(stored: found.keys, decoys: decoys, text: text)
    let keys = found.keys + decoys
    let verifier = shared.verifier
    let verified: [VerifiedAuthentication]
    do {
      verified = try verifier.verify(response, read: shared.received.parameters, issued: issued, keys: keys)
    } catch ServiceRefusal.counterNotIncreased {
      let seen = verifier.keyAhead(of: response, issued: issued, keys: keys)
      return .refused(
        .counterNotIncreased, seen: seen.map { SeenCounter(keyID: $0.keyID, signCounter: $0.signCounter) })
    }
    return try await store(verified, text: text, keys: keys)
  }

  private func find() async throws -> Found {
    let challenge = shared.received.challenge
    if data.needsVouchedKey {
      return try await environment.store.read { [shared, data] records in
        Found(
          isUsed: try records.usedChallenges.contains(challenge),
          keys: try records.credentials.vouchedKeys(of: data.username, appID: shared.identity.appID),
          approvalText: nil)
      }
    }
    guard let id = data.approvalID else {
      let found = try await environment.store.login(
        of: data.username, appID: shared.identity.appID, challenge: challenge)
      return Found(isUsed: found.isUsed, keys: found.keys, approvalText: nil)
    }
    return try await environment.store.read { [shared, data] records in
      Found(
        isUsed: try records.usedChallenges.contains(challenge),
        keys: try records.credentials.keys(of: data.username, appID: shared.identity.appID),
        approvalText: try records.approvals.text(id: id, reservedBy: challenge.hash, now: shared.now))
    }
  }

  /// The text that must be confirmed; nil if there is none.
  private func confirmed(_ found: Found) throws -> TransactionText? {
    guard data.approvalID != nil else { return try data.text.text(sentAgain: shared.received.context?.transaction) }
    guard let text = found.approvalText.flatMap({ TransactionText(sent: $0) }) else {
      throw ServiceRefusal.approvalCodeUsed
    }
    return text
  }

  private func decoys(besides stored: [StoredKey]) throws -> [StoredKey] {
    let named = response.assertions.compactMap { envelope -> (aaid: AAID, keyID: KeyID)? in
      guard let assertion = try? UnverifiedAuthenticationAssertion(parsing: envelope.assertion),
        !stored.contains(where: { $0.aaid == assertion.aaid && $0.keyID == assertion.keyID })
      else { return nil }
      return (assertion.aaid, assertion.keyID)
    }
    guard !named.isEmpty else { return [] }
    let most = max(Self.leastSearched, environment.shapes.shapes?.mostOfOneModel ?? 0)
    return try Decoys(keys: environment.keys, models: environment.models).keys(
      among: named, of: data.username, most: most)
  }

  /// At least this many decoys of one model are tried: the key shapes may have changed since the request.
  private static let leastSearched = 16

  /// The request as it was issued.
  private func issued(stored: [StoredKey], decoys: [StoredKey], text: TransactionText?) throws -> IssuedRequest {
    let asked = try AskedKeys(environment: environment, username: data.username, stored: stored)
    // The decoys that were recognised in the answer were in the request, even if they would not be in a request now.
    let then = decoys.map { [MatchCriteria(aaid: $0.aaid, keyIDs: [$0.keyID])] }
    return IssuedRequest(
      operation: .authentication, username: data.username, challengeHash: shared.received.challengeHash,
      appID: shared.identity.appID, serverData: shared.received.serverDataText,
      policy: Policy(accepted: asked.accepted + then), transaction: try text.map { try Transaction(signing: $0) },
      device: Device(), expiresAt: data.expiresAt)
  }

  private func store(
    _ verified: [VerifiedAuthentication], text: TransactionText?, keys: [StoredKey]
  ) async throws -> ResponseOutcome {
    let machineSecret = try shared.machineSecret(ofSigning: verified.map(\.keyID), among: keys)
    let token = try shared.token(
      for: verified.map(\.keyID), confirming: text, with: machineSecret, marked: try await revocationMark())
    let texts = text.map { text in verified.compactMap { confirmation(of: text, by: $0, keys: keys) } } ?? []
    let answer = VerifiedResponse(
      username: data.username, challengeHash: shared.received.challenge.hash, expiresAt: data.expiresAt,
      signatures: verified, confirmedTexts: texts, approvalID: data.approvalID, now: shared.now,
      address: shared.address, machine: machine(of: verified, keys), detail: try detail(text))
    try await environment.store.store(answer)
    return .accepted(
      token: token, machineSecret: machineSecret,
      keys: verified.map { AcceptedKey(aaid: $0.aaid, keyID: $0.keyID) })
  }

  /// The digest of the account's revoked keys, for a proof that allows further keys; nil for anything else.
  ///
  /// It is read before the commit that accepts the answer. If a key is revoked in between, the digest in the proof no longer
  /// matches, and the proof allows nothing.
  private func revocationMark() async throws -> [UInt8]? {
    guard data.purpose == .furtherKeys else { return nil }
    return try await environment.store.read { [data] in try $0.credentials.revocationMark(of: data.username) }
  }

  /// The name of the machine on which the keys are, or its ID.
  private func machine(of verified: [VerifiedAuthentication], _ keys: [StoredKey]) -> String {
    let key = keys.first { key in verified.contains { $0.aaid == key.aaid && $0.keyID == key.keyID } }
    return key.flatMap { $0.deviceName ?? $0.deviceID } ?? ""
  }

  /// The row's detail: hash and kind of the confirmed text, its approval's number, and the service.
  private func detail(_ text: TransactionText?) throws -> String {
    guard let text else { return shared.received.detail() }
    var object: JSONObject = ["text": .string(Base64URL.encode(try SHA256.hash(Array(text.shown.utf8))))]
    object.set("kind", TextKind(of: text.shown).map { .string($0.rawValue) })
    object.set("approval", data.approvalID.map(JSONValue.integer))
    return shared.received.detail(confirming: object)
  }

  private func confirmation(
    of text: TransactionText, by signature: VerifiedAuthentication, keys: [StoredKey]
  ) -> ConfirmedText? {
    keys.first { $0.aaid == signature.aaid && $0.keyID == signature.keyID }.map { key in
      ConfirmedText(
        username: data.username, confirmedAt: shared.now, shown: text.shown, fcParams: response.fcParams,
        assertion: signature.assertion, publicKey: key.publicKey, signatureAlgorithm: key.signatureAlgorithm)
    }
  }
}
