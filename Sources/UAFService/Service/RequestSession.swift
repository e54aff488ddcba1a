import UAFCrypto
import UAFMessages

/// One `/uaf/get`, within its transaction of the store.
struct RequestSession {
  let environment: ServiceEnvironment
  let identity: ServerIdentity
  let records: any StoreTransaction
  let context: RequestContext
  let now: Int64

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
    let stored = try records.credentials.keys(of: context.username, appID: identity.appID)
    // Only keys of the asking machine: what it says about keys of other machines does not count.
    let lost = stored.filter { key in
      !key.isRevoked && key.deviceID == context.deviceID && context.lostKeyIDs.contains(key.keyID)
    }.map(\.keyID)
    // The authenticator of a revoked or lost key may register again.
    let usable = stored.filter { !$0.isRevoked && !lost.contains($0.keyID) }
    // Refused now, before the person chooses a secret for a key that could not be stored. The answer is checked again.
    guard usable.count < KeyUsage.maximumKeys else { return .refused(.tooManyKeys) }
    let accepted = environment.policies.accepted(for: context.username)
      .registration(besides: usable.filter { $0.deviceID == context.deviceID })
    let policy = Policy(accepted: accepted, disallowed: criteria(of: usable))
    var (issued, challenge) = try issue(.registration, policy: policy)
    issued.lostKeyIDs = lost
    var code: CodeInUse?
    if case .enrolment(let id) = authorization {
      code = .enrolment(id: id)
      try records.enrolments.reserve(id: id, challengeHash: issued.challengeHash)
    }
    try records.challenges.add(issued, code: code, now: now, maximumOpen: IssuedRequest.maximumOpen)
    let messages = UPV.supported.map { upv in
      UAFRequest.registration(
        RegistrationRequest(
          header: header(.registration, upv: upv, issued: issued), challenge: challenge, username: context.username,
          policy: policy))
    }
    return answer(messages, .registration)
  }

  /// Asks for an authentication: anybody may have that, since only the account's keys can answer.
  ///
  /// With the code of a text that waits to be confirmed, that text is asked for, and the answer is no proof for anything else.
  /// With the same code, and no answer, the text can be denied.
  func authentication(proofOperations: [UAFOperation]) throws -> RequestOutcome {
    var text: TransactionText?
    var code: CodeInUse?
    if context.denies == true, context.authCode == nil { return .refused(.malformedRequest) }
    if let authCode = context.authCode {
      guard context.transaction == nil, proofOperations.isEmpty else { return .refused(.malformedRequest) }
      guard let approval = try records.approvals.check(code: authCode, for: context.username, now: now),
        let waiting = TransactionText(sent: approval.shown)
      else { return .refused(.wrongApprovalCode) }
      if context.denies == true {
        try records.approvals.deny(id: approval.id, now: now)
        return .denied(username: context.username)
      }
      (text, code) = (waiting, .approval(id: approval.id))
    } else if let sent = context.transaction {
      guard let made = TransactionText(sent: sent) else { return .refused(.unsupportedTransaction) }
      text = made
    }
    let stored = try records.credentials.keys(of: context.username, appID: identity.appID)
    let sets = environment.policies.accepted(for: context.username)
    // Made up for every name, so that real accounts take as long.
    let madeUp = try Decoys(keys: environment.keys, models: environment.models)
      .keys(of: context.username, meeting: sets, shapes: environment.shapes.shapes)
    // Revoked keys are listed too: only who can sign with one is told that it is revoked.
    let (accepted, isDecoy) = sets.authentication(with: stored, orElse: madeUp)
    let policy = Policy(accepted: accepted)
    let (issued, challenge) = try issue(
      .authentication, policy: policy, text: text, proofOperations: proofOperations,
      isDecoy: isDecoy)
    if let id = code?.approvalID { try records.approvals.reserve(id: id, challengeHash: issued.challengeHash) }
    try records.challenges.add(issued, code: code, now: now, maximumOpen: IssuedRequest.maximumOpen)
    let messages = UPV.supported.map { upv in
      UAFRequest.authentication(
        AuthenticationRequest(
          header: header(.authentication, upv: upv, issued: issued), challenge: challenge,
          transaction: issued.transaction.map { [$0] } ?? [], policy: policy))
    }
    return answer(messages, .authentication)
  }

  /// Deletes keys now, when the request is made, as UAF does: no answer follows.
  ///
  /// So the proof is checked here. Only the person's keys on the asking machine are deleted. If the machine names keys, only
  /// those are deleted, since a copy of the machine has the same id.
  func deregistration() throws -> RequestOutcome {
    if case .failure(let refusal) = try authorize(.deregistration) { return .refused(refusal) }
    let removed = try records.credentials.removeAll(
      of: context.username, appID: identity.appID, deviceID: context.deviceID, aaid: context.deregisterAAID,
      keyIDs: context.deregisterKeyIDs)
    guard !removed.isEmpty else { return .refused(.unknownKeyID) }
    let keys = removed.map { DeregisterAuthenticator.key($0.aaid, $0.keyID) }
    let messages = UPV.supported.map { upv in
      let header = OperationHeader(upv: upv, op: .deregistration, appID: identity.appID)
      return UAFRequest.deregistration(
        DeregistrationRequest(header: header, authenticators: upv == .uaf10 ? keys : wildcard() ?? keys))
    }
    return answer(messages, .deregistration, token: try deregistrationToken(UAFRequest.text(of: messages)))
  }

  /// The wildcards of UAF 1.1; on the client they mean this person's keys for the AppID on this machine.
  private func wildcard() -> [DeregisterAuthenticator]? {
    if context.deregisterAll == true { return [.everything] }
    return context.deregisterAAID.map { [.allKeys($0)] }
  }

  private func authorize(_ operation: UAFOperation) throws -> Result<Authorization, ServiceRefusal> {
    if let code = context.authCode {
      let id = try records.enrolments.check(code: code, for: context.username, now: now)
      return id.map { .success(.enrolment(id: $0)) } ?? .failure(.wrongEnrolmentCode)
    }
    guard let proof = context.proof else { return .failure(.authorizationRequired) }
    guard let claims = VerdictToken(keys: environment.keys).claims(of: proof),
      claims.issuer.isIdentical(to: identity.appID), claims.subject.isIdentical(to: context.username),
      claims.operation == .authentication, claims.proofOperations.contains(operation),
      claims.expiresAt > now, claims.issuedAt <= now,
      try records.usedProofs.use(tokenID: claims.tokenID, expiresAt: claims.expiresAt, now: now)
    else { return .failure(.wrongProof) }
    return .success(.proof)
  }

  private func criteria(of keys: [StoredKey]) -> [MatchCriteria] {
    var aaids: [AAID] = []
    for key in keys where !aaids.contains(key.aaid) { aaids.append(key.aaid) }
    return aaids.map { aaid in MatchCriteria(aaid: aaid, keyIDs: keys.filter { $0.aaid == aaid }.map(\.keyID)) }
  }

  private func issue(
    _ operation: UAFOperation, policy: Policy, text: TransactionText? = nil, proofOperations: [UAFOperation] = [],
    isDecoy: Bool = false
  ) throws -> (IssuedRequest, ServerChallenge) {
    let challenge = try ServerChallenge(bytes: environment.random(32))
    let expiresAt = now + IssuedRequest.lifetime
    let serverData = try ServerData(keys: environment.keys).seal(
      operation: operation, username: context.username, challenge: challenge.bytes, expiresAt: expiresAt)
    let issued = IssuedRequest(
      operation: operation, username: context.username, challengeHash: try SHA256.hash(challenge.bytes),
      appID: identity.appID, serverData: serverData, policy: policy,
      transaction: try text.map { try Transaction(signing: $0) }, device: Device(context),
      proofOperations: proofOperations, isDecoy: isDecoy, expiresAt: expiresAt, transactionText: text)
    return (issued, challenge)
  }

  private func header(_ operation: UAFOperation, upv: UPV, issued: IssuedRequest) -> OperationHeader {
    OperationHeader(
      upv: upv, op: operation, appID: identity.appID, serverData: issued.serverData,
      exts: environment.verificationMethods.extensions)
  }

  private func answer(_ messages: [UAFRequest], _ operation: UAFOperation, token: Token? = nil) -> RequestOutcome {
    .issued(
      ReturnUAFRequest(
        statusCode: .ok, uafRequest: UAFRequest.text(of: messages), op: operation,
        lifetimeMilliseconds: UInt32(IssuedRequest.lifetime) * 1000, additionalTokens: token.map { [$0] } ?? []))
  }

  /// A token that tells others that the keys named in `order` are deleted: its `challenge` is the SHA-256 of `order`.
  ///
  /// No operation of this server accepts it as a proof.
  private func deregistrationToken(_ order: String) throws -> Token {
    let claims = VerdictClaims(
      issuer: identity.appID, subject: context.username, operation: .deregistration, proofOperations: [],
      challengeHash: Base64URL.encode(try SHA256.hash(Array(order.utf8))), issuedAt: now,
      expiresAt: now + VerdictToken.lifetime, tokenID: Base64URL.encode(try environment.random(16)))
    return Token(type: Token.jwt, value: try VerdictToken(keys: environment.keys).sign(claims))
  }
}
