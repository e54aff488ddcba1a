import UAFCrypto
import UAFMessages

/// Answers `/uaf/get`: decides who may have which request, and issues it.
package struct RequestService: Sendable {
  package let environment: ServiceEnvironment

  package init(environment: ServiceEnvironment) {
    self.environment = environment
  }

  /// The content of a client's `/uaf/get`, parsed once.
  package struct Asked: Sendable {
    /// nil if the body names none.
    package let operation: UAFOperation?
    /// nil if the body has no context that can be read.
    let context: RequestContext?
    /// The context as it was sent: the challenge is bound to it.
    let contextText: String

    /// The account of the request; nil if the name is not a valid account name.
    package var username: String? { context.flatMap { Username.isValid($0.username) ? $0.username : nil } }

    package init(_ body: GetUAFRequest) {
      operation = body.op
      contextText = body.context ?? ""
      context = body.context.flatMap { try? RequestContext(parsing: $0, limits: JSONLimits(maximumBytes: 65_536)) }
    }
  }

  /// Issues a request.
  ///
  /// - Parameter address: where it came from, for the audit; empty if that is not known.
  /// - Throws: only if something failed; a refusal is returned.
  package func request(_ asked: Asked, from address: String = "") async throws -> RequestOutcome {
    guard let operation = asked.operation, let context = asked.context else { return .refused(.malformedRequest) }
    guard asked.username != nil else { return .refused(.invalidUsername) }
    let issuer = RequestIssuer(
      environment: environment, identity: try environment.identity(), context: context,
      contextText: asked.contextText, now: environment.now(), address: address)
    switch operation {
    case .authentication:
      return try await AuthenticationRequestGeneration(issuer: issuer).request()
    case .registration:
      return try await environment.store.write { try RequestGeneration(issuer: issuer, records: $0).registration() }
    case .deregistration:
      return try await environment.store.write { try RequestGeneration(issuer: issuer, records: $0).deregistration() }
    }
  }
}

/// The generation of one request for a registration or deregistration, within its transaction of the store.
struct RequestGeneration {
  let issuer: RequestIssuer
  let records: any StoreTransaction

  private var environment: ServiceEnvironment { issuer.environment }
  private var identity: ServerIdentity { issuer.identity }
  private var context: RequestContext { issuer.context }
  private var now: Int64 { issuer.now }

  /// The code or proof that allows the caller an operation.
  private enum Authorization {
    case enrolment(id: Int64)
    case proof
  }

  /// Makes a request for a registration.
  ///
  /// The caller needs an enrolment code of the account, or the proof of a fresh authentication.
  func registration() throws -> RequestOutcome {
    let authorization: Authorization
    switch try authorize(.registration) {
    case .success(let granted): authorization = granted
    case .failure(let refusal): return .refused(refusal)
    }
    if let refusal = try records.accounts.block(of: context.username)?.refusal(at: now) { return .refused(refusal) }
    let stored = try records.credentials.keys(of: context.username, appID: identity.appID)
    // Only keys of the requesting machine: what it says about keys of other machines is ignored.
    let lost = stored.filter { key in
      !key.isRevoked && key.deviceID == context.deviceID && context.lostKeyIDs.contains(key.keyID)
    }.map(\.keyID)
    // The authenticator of a revoked or lost key may register again.
    let usable = stored.filter { !$0.isRevoked && !lost.contains($0.keyID) }
    // Refused now, before the person chooses a secret for a key that could not be stored. It is checked again when the answer
    // comes.
    guard usable.count < KeyUsage.maximumKeys else { return .refused(.tooManyKeys) }
    let accepted = try environment.policies().accepted(for: context.username)
      .registration(besides: usable.filter { $0.deviceID == context.deviceID })
    let policy = Policy(accepted: accepted, disallowed: criteria(of: usable))
    var enrolmentID: Int64?
    if case .enrolment(let id) = authorization { enrolmentID = id }
    let purpose: ChallengePurpose = enrolmentID == nil ? .registrationByKey : .registrationByCode
    let challenge = try issuer.challenge(for: purpose)
    let issued = try issued(challenge, purpose, policy: policy, lostKeyIDs: lost)
    if let id = enrolmentID {
      try records.enrolments.reserve(id: id, challengeHash: issued.challengeHash)
    }
    try records.openRegistrations.add(
      issued, enrolmentID: enrolmentID, now: now, maximumOpen: IssuedRequest.maximumOpen)
    let messages = UPV.supported.map { upv in
      UAFRequest.registration(
        RegistrationRequest(
          header: issuer.header(.registration, upv: upv, serverData: issued.serverData), challenge: challenge,
          username: context.username, policy: policy))
    }
    return issuer.issued(UAFRequest.text(of: messages), .registration)
  }

  /// Deletes keys now, when the request is made, as UAF does: no answer follows.
  ///
  /// So the proof is checked here. Only the person's keys on the requesting machine are deleted. If the machine names keys,
  /// only those are deleted, since a copy of the machine has the same ID. A disabled or locked account keeps its keys: it needs
  /// them when it is enabled again, and with them its machine still receives the account's state.
  func deregistration() throws -> RequestOutcome {
    if case .failure(let refusal) = try authorize(.deregistration) { return .refused(refusal) }
    if let refusal = try records.accounts.block(of: context.username)?.refusal(at: now) { return .refused(refusal) }
    guard let removed = try removeKeys() else { return .refused(.lastAdministrator) }
    guard !removed.isEmpty else { return .refused(.unknownKeyID) }
    try records.audit.append([issuer.event(.deregistration, authenticators: removed)])
    let keys = removed.map { DeregisterAuthenticator.key($0.aaid, $0.keyID) }
    let messages = UPV.supported.map { upv in
      let header = OperationHeader(upv: upv, op: .deregistration, appID: identity.appID)
      return UAFRequest.deregistration(
        DeregistrationRequest(header: header, authenticators: upv == .uaf10 ? keys : wildcard() ?? keys))
    }
    let order = UAFRequest.text(of: messages)
    return issuer.issued(order, .deregistration, token: try deregistrationToken(order, removed.map(\.keyID)))
  }

  /// Deletes the keys that the request names.
  ///
  /// - Returns: the deleted keys; nil if without them no administrator could sign in; none is deleted then.
  private func removeKeys() throws -> [(aaid: AAID, keyID: KeyID)]? {
    let isKept = try records.hasUsableAdministrator(passkeys: environment.passkeyReach, now: now)
    var removed: [(aaid: AAID, keyID: KeyID)]?
    try records.keeping {
      let keys = try records.credentials.removeAll(
        of: context.username, appID: identity.appID, deviceID: context.deviceID, aaid: context.deregisterAAID,
        keyIDs: context.deregisterKeyIDs)
      guard try !isKept || records.hasUsableAdministrator(passkeys: environment.passkeyReach, now: now) else {
        return false
      }
      removed = keys
      return true
    }
    return removed
  }

  /// The wildcards of UAF 1.1; to the client they mean this person's keys for the AppID on this machine.
  private func wildcard() -> [DeregisterAuthenticator]? {
    if context.deregisterAll == true { return [.everything] }
    return context.deregisterAAID.map { [.allKeys($0)] }
  }

  private func authorize(_ operation: UAFOperation) throws -> Result<Authorization, ServiceRefusal> {
    if let proof = context.codeProof {
      let statement =
        operation == .registration
        ? EnrolmentCode.registrationStatement(username: context.username) : EnrolmentCode.removalStatement(context)
      let code = try records.enrolments.find(for: context.username, now: now)
      let isRight = try EnrolmentSeal(keys: environment.keys)
        .isValid(proof, of: statement, by: code?.sealedKey, for: context.username)
      guard let code, isRight else { return .failure(.wrongEnrolmentCode) }
      return .success(.enrolment(id: code.id))
    }
    // A client of ours never sends the enrolment code itself. This one comes from a client that does not know that, or from
    // somebody who has seen the code.
    guard context.authCode == nil else { return .failure(.wrongEnrolmentCode) }
    guard let proof = context.proof else { return .failure(.authorizationRequired) }
    guard let claims = VerdictToken(keys: environment.keys).claims(of: proof),
      claims.issuer.isIdentical(to: identity.appID), claims.subject.isIdentical(to: context.username),
      claims.operation == .authentication, claims.use.contains(operation), try isAbout(operation, claims),
      claims.expiresAt > now, claims.issuedAt <= now, try isKnownWhetherUsed(claims),
      try operation != .registration
        || records.credentials.allowFurtherKey(
          for: context.username, byProofMadeAt: claims.issuedAt, marked: claims.revocationMark),
      try records.usedProofs.use(tokenID: claims.tokenID, expiresAt: claims.expiresAt, now: now)
    else { return .failure(.wrongProof) }
    return .success(.proof)
  }

  /// Whether a proof authorises exactly the removal that this request asks for; true for a registration.
  private func isAbout(_ operation: UAFOperation, _ claims: VerdictClaims) throws -> Bool {
    guard operation == .deregistration else { return true }
    let subject = try SHA256.hash(context.removalStatement)
    return claims.proofSubject?.isIdentical(to: Base64URL.encode(subject)) == true
  }

  /// Whether the store knows all proofs that were used since this one was signed.
  ///
  /// A store that was restored from a backup does not know those that were used before.
  private func isKnownWhetherUsed(_ claims: VerdictClaims) throws -> Bool {
    guard let restored = try records.settings.value(of: .restoredAt) else { return true }
    return Int64(restored).map { claims.issuedAt > $0 } ?? false
  }

  private func criteria(of keys: [StoredKey]) -> [MatchCriteria] {
    var aaids: [AAID] = []
    for key in keys where !aaids.contains(key.aaid) { aaids.append(key.aaid) }
    return aaids.map { aaid in MatchCriteria(aaid: aaid, keyIDs: keys.filter { $0.aaid == aaid }.map(\.keyID)) }
  }

  private func issued(
    _ challenge: ServerChallenge, _ purpose: ChallengePurpose, policy: Policy, lostKeyIDs: [KeyID]
  ) throws -> IssuedRequest {
    var data = ServerData(purpose, username: context.username, expiresAt: issuer.expiresAt)
    if purpose == .registrationByKey {
      data.proofSubject = try records.credentials.revocationMark(of: context.username)
    }
    return IssuedRequest(
      operation: .registration, username: context.username, challengeHash: try SHA256.hash(challenge.bytes),
      appID: identity.appID, serverData: try issuer.seal(data, challenge), policy: policy, transaction: nil,
      device: Device(context), expiresAt: issuer.expiresAt, lostKeyIDs: lostKeyIDs)
  }

  /// A token that states that the keys in `order` were deleted: its `challenge` is the SHA-256 of `order`.
  ///
  /// No operation of this server accepts it as a proof.
  private func deregistrationToken(_ order: String, _ keyIDs: [KeyID]) throws -> Token {
    var claims = VerdictClaims(
      issuer: identity.appID, subject: context.username, operation: .deregistration, purpose: .removal,
      challengeHash: Base64URL.encode(try SHA256.hash(Array(order.utf8))), issuedAt: now,
      expiresAt: now + VerdictToken.lifetime, tokenID: Base64URL.encode(try environment.random(16)))
    claims.keyIDs = keyIDs.map(\.text)
    claims.deviceID = context.deviceID
    return Token(type: Token.jwt, value: try VerdictToken(keys: environment.keys).sign(claims))
  }
}

/// Writes the reply to one `/uaf/get`.
struct RequestIssuer {
  let environment: ServiceEnvironment
  let identity: ServerIdentity
  let context: RequestContext
  /// The context as it was sent.
  let contextText: String
  /// Seconds since 1970.
  let now: Int64
  /// Where the request came from; empty if that is not known.
  let address: String

  /// When a request that is issued now can no longer be answered, in seconds since 1970.
  var expiresAt: Int64 { now + IssuedRequest.lifetime }

  /// The row of the audit for this request, which is stored in the same transaction.
  func event(_ kind: AuditKind, authenticators: [(aaid: AAID, keyID: KeyID)] = [], detail: String = "") -> AuditEntry {
    AuditEntry(
      time: now, kind: kind, account: context.username, actor: .person, address: address,
      machine: context.deviceName ?? context.deviceID ?? "",
      authenticators: authenticators.map { "\($0.aaid.text) \($0.keyID.text)" }.joined(separator: ", "), detail: detail)
  }

  /// The row of the audit for a denied text.
  ///
  /// - Parameter id: the number of an approval.
  func denial(of kind: TextKind, id: Int64? = nil) -> AuditEntry {
    var detail: JSONObject = ["kind": .string(kind.rawValue)]
    detail.set("approval", id.map(JSONValue.integer))
    return event(.denial, detail: JSONValue.object(detail).text)
  }

  /// Makes a challenge that contains its purpose.
  ///
  /// - Parameters:
  ///   - text: the transaction text of the request; nil for none.
  ///   - unique: the 32 unique bytes of the challenge; nil for random ones.
  func challenge(
    for purpose: ChallengePurpose, text: TransactionText? = nil, unique: [UInt8]? = nil
  ) throws -> ServerChallenge {
    let statement = PurposedChallenge.statement(purpose, context: contextText, text: text?.shown)
    return try PurposedChallenge(
      purpose, hash: SHA256.hash(statement), unique: unique ?? environment.random(PurposedChallenge.uniqueByteCount)
    ).challenge
  }

  /// Seals session data for a challenge.
  func seal(_ data: ServerData, _ challenge: ServerChallenge) throws -> String {
    try ServerDataSeal(keys: environment.keys).seal(data, challenge: challenge.bytes)
  }

  /// The header of a request that the client must answer.
  func header(_ operation: UAFOperation, upv: UPV, serverData: String) -> OperationHeader {
    OperationHeader(
      upv: upv, op: operation, appID: identity.appID, serverData: serverData,
      exts: environment.verificationMethods.extensions)
  }

  /// The outcome that hands the client this message.
  func issued(_ message: String, _ operation: UAFOperation, token: Token? = nil) -> RequestOutcome {
    .issued(
      ReturnUAFRequest(
        statusCode: .ok, uafRequest: message, op: operation,
        lifetimeMilliseconds: UInt32(IssuedRequest.lifetime) * 1000, additionalTokens: token.map { [$0] } ?? []))
  }
}

/// The outcome of a `/uaf/get`.
package enum RequestOutcome: Sendable {
  case issued(ReturnUAFRequest)
  /// Nothing is issued: the person denied the text that waited.
  case denied(username: String)
  case refused(ServiceRefusal)
}
