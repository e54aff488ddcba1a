import UAFCrypto
import UAFMessages

/// One `/uaf/get` for a registration or deregistration, within its transaction of the store.
struct RequestSession {
  let issuer: RequestIssuer
  let records: any StoreTransaction

  private var environment: ServiceEnvironment { issuer.environment }
  private var identity: ServerIdentity { issuer.identity }
  private var context: RequestContext { issuer.context }
  private var now: Int64 { issuer.now }

  /// What allows the caller an operation.
  private enum Authorization {
    case enrolment(id: Int64)
    case proof
  }

  /// Asks for a new key: the caller needs an enrolment code of the account, or proof of a fresh verification.
  func registration() throws -> RequestOutcome {
    let authorization: Authorization
    switch try authorize(.registration) {
    case .success(let granted): authorization = granted
    case .failure(let refusal): return .refused(refusal)
    }
    if let refusal = try records.accounts.block(of: context.username)?.refusal(at: now) { return .refused(refusal) }
    let stored = try records.credentials.keys(of: context.username, appID: identity.appID)
    // Only keys of the asking machine: what it says about keys of other machines does not count.
    let lost = stored.filter { key in
      !key.isRevoked && key.deviceID == context.deviceID && context.lostKeyIDs.contains(key.keyID)
    }.map(\.keyID)
    // The authenticator of a revoked or lost key may register again.
    let usable = stored.filter { !$0.isRevoked && !lost.contains($0.keyID) }
    // Refused now, before the person chooses a secret for a key that could not be stored. The answer is checked again.
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
  /// So the proof is checked here. Only the person's keys on the asking machine are deleted. If the machine names keys, only
  /// those are deleted, since a copy of the machine has the same id. A disabled account may do that too: it only loses keys.
  func deregistration() throws -> RequestOutcome {
    if case .failure(let refusal) = try authorize(.deregistration) { return .refused(refusal) }
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

  /// Deletes the keys that are meant.
  ///
  /// - Returns: those; nil if no administrator could sign in without them, and then none was deleted.
  private func removeKeys() throws -> [(aaid: AAID, keyID: KeyID)]? {
    let isKept = try records.hasUsableAdministrator(now: now)
    var removed: [(aaid: AAID, keyID: KeyID)]?
    try records.keeping {
      let keys = try records.credentials.removeAll(
        of: context.username, appID: identity.appID, deviceID: context.deviceID, aaid: context.deregisterAAID,
        keyIDs: context.deregisterKeyIDs)
      guard try !isKept || records.hasUsableAdministrator(now: now) else { return false }
      removed = keys
      return true
    }
    return removed
  }

  /// The wildcards of UAF 1.1; on the client they mean this person's keys for the AppID on this machine.
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
    // The code itself: by a client that does not know what a code is here, or by somebody who has read one.
    guard context.authCode == nil else { return .failure(.wrongEnrolmentCode) }
    guard let proof = context.proof else { return .failure(.authorizationRequired) }
    guard let claims = VerdictToken(keys: environment.keys).claims(of: proof),
      claims.issuer.isIdentical(to: identity.appID), claims.subject.isIdentical(to: context.username),
      claims.operation == .authentication, claims.use.contains(operation), try isAbout(operation, claims),
      claims.expiresAt > now, claims.issuedAt <= now, try isKnownWhetherUsed(claims),
      try operation != .registration
        || records.credentials.allowFurtherKey(for: context.username, byProofMadeAt: claims.issuedAt),
      try records.usedProofs.use(tokenID: claims.tokenID, expiresAt: claims.expiresAt, now: now)
    else { return .failure(.wrongProof) }
    return .success(.proof)
  }

  /// Whether a proof is about the keys of this request.
  private func isAbout(_ operation: UAFOperation, _ claims: VerdictClaims) throws -> Bool {
    guard operation == .deregistration else { return true }
    let subject = try SHA256.hash(context.removalStatement)
    return claims.proofSubject?.isIdentical(to: Base64URL.encode(subject)) == true
  }

  /// Whether the store knows the proofs that were used since this one was signed: an older store that was restored does not.
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
    let data = ServerData(purpose, username: context.username, expiresAt: issuer.expiresAt)
    return IssuedRequest(
      operation: .registration, username: context.username, challengeHash: try SHA256.hash(challenge.bytes),
      appID: identity.appID, serverData: try issuer.seal(data, challenge), policy: policy, transaction: nil,
      device: Device(context), expiresAt: issuer.expiresAt, lostKeyIDs: lostKeyIDs)
  }

  /// A token that says that these keys, which `order` names, are deleted: its `challenge` is the SHA-256 of `order`.
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
