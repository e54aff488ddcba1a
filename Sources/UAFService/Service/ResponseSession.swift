import UAFMessages

/// One `/uaf/respond`, within the transaction that took its challenge.
struct ResponseSession {
  let environment: ServiceEnvironment
  let identity: ServerIdentity
  let records: any StoreTransaction
  let issued: IssuedRequest
  let code: CodeInUse?
  let now: Int64

  func respond(_ response: UAFResponse, claimedName: String?) throws -> ResponseOutcome {
    guard issued.expiresAt > now else { return refused(.expiredChallenge) }
    if let claimedName, !claimedName.isIdentical(to: issued.username) { return refused(.otherUser) }
    switch (response, issued.operation) {
    case (.registration(let response), .registration): return try register(response)
    case (.authentication(let response), .authentication): return try authenticate(response)
    default: return refused(.otherOperation)
    }
  }

  private var verifier: Verifier {
    Verifier(
      identity: identity, models: environment.models, now: now, verificationMethods: environment.verificationMethods)
  }

  private func register(_ response: RegistrationResponse) throws -> ResponseOutcome {
    let enrolmentID = code?.enrolmentID
    if let enrolmentID {
      let isReserved = try records.enrolments.isReserved(id: enrolmentID, by: issued.challengeHash)
      guard isReserved else { return refused(.enrolmentCodeUsed) }
    }
    let store = records.credentials
    // Looked up now: the verifier's question cannot fail.
    var known: [UnregisteredCheck: Bool] = [:]
    for envelope in response.assertions {
      guard let assertion = try? UnverifiedRegistrationAssertion(parsing: envelope.assertion) else { continue }
      let check = UnregisteredCheck(aaid: assertion.aaid, keyID: assertion.keyID)
      known[check] = try store.exists(assertion.aaid, assertion.keyID)
    }
    let result = verifier.verify(response, issued: issued) { aaid, keyID in
      known[UnregisteredCheck(aaid: aaid, keyID: keyID)] ?? true
    }
    switch result {
    case .refused(let refusal):
      return refused(refusal)
    case .accepted(let verified):
      guard let forgotten = try forgetLostKeys(makingRoomFor: verified.map(\.keyID)) else {
        return refused(.tooManyKeys)
      }
      try records.accounts.add(issued.username, now: now)
      var keepsName = true
      for key in verified { keepsName = try store.add(key, issued: issued, now: now) && keepsName }
      if let enrolmentID { try records.enrolments.consume(id: enrolmentID) }
      return try accepted(
        verified.map { AcceptedKey(aaid: $0.aaid, keyID: $0.keyID) }, ignoresDeviceName: !keepsName,
        forgotten: forgotten)
    }
  }

  /// Deletes the keys that the machine has lost, in the transaction that stores the new ones.
  ///
  /// - Returns: the deleted keys; nil if there is no room for the new keys even then, and nothing was deleted.
  private func forgetLostKeys(makingRoomFor keyIDs: [KeyID]) throws -> [KeyID]? {
    let store = records.credentials
    var forgotten: [KeyID]?
    try records.keeping {
      let lost = issued.lostKeyIDs
      let removed =
        lost.isEmpty
        ? []
        : try store.removeAll(
          of: issued.username, appID: issued.appID, deviceID: issued.device.id, aaid: nil, keyIDs: lost)
      guard try store.usage(of: issued.username, appID: issued.appID).hasRoom(for: keyIDs) else { return false }
      forgotten = removed.map(\.keyID)
      return true
    }
    return forgotten
  }

  private struct UnregisteredCheck: Hashable {
    let aaid: AAID
    let keyID: KeyID
  }

  private func authenticate(_ response: AuthenticationResponse) throws -> ResponseOutcome {
    let approvals = records.approvals
    let approvalID = code?.approvalID
    if let approvalID {
      let isReserved = try approvals.isReserved(id: approvalID, by: issued.challengeHash, now: now)
      guard isReserved else { return refused(.approvalCodeUsed) }
    }
    let store = records.credentials
    var keys = try store.keys(of: issued.username, appID: issued.appID)
    if issued.isDecoy {
      keys = try Decoys(keys: environment.keys, models: environment.models).filling(keys, asIn: issued.policy)
    }
    switch verifier.verify(response, issued: issued, keys: keys) {
    case .refused(.counterNotIncreased):
      let seen = verifier.keyAhead(of: response, issued: issued, keys: keys)
      return .refused(
        .counterNotIncreased, username: issued.username,
        seen: seen.map { SeenCounter(keyID: $0.keyID, signCounter: $0.signCounter) })
    case .refused(let refusal):
      return refused(refusal)
    case .accepted(let verified):
      for authentication in verified {
        let isRecorded = try store.record(authentication, of: issued.username, now: now)
        guard isRecorded else { return refused(.counterNotIncreased) }
        try keep(authentication, fcParams: response.fcParams, keys: keys)
      }
      if let approvalID { try approvals.confirm(id: approvalID, now: now) }
      return try accepted(verified.map { AcceptedKey(aaid: $0.aaid, keyID: $0.keyID) })
    }
  }

  /// Stores what was confirmed, in the transaction that accepts it: nothing is accepted without its record.
  private func keep(_ authentication: VerifiedAuthentication, fcParams: String, keys: [StoredKey]) throws {
    guard let text = issued.transactionText,
      let key = keys.first(where: { $0.aaid == authentication.aaid && $0.keyID == authentication.keyID })
    else { return }
    try records.confirmedTexts.add(
      ConfirmedText(
        username: issued.username, confirmedAt: now, shown: text.shown, fcParams: fcParams,
        assertion: authentication.assertion, publicKey: key.publicKey, signatureAlgorithm: key.signatureAlgorithm))
  }

  private func refused(_ refusal: ServiceRefusal) -> ResponseOutcome {
    .refused(refusal, username: issued.username)
  }

  private func accepted(
    _ keys: [AcceptedKey], ignoresDeviceName: Bool = false, forgotten: [KeyID] = []
  ) throws -> ResponseOutcome {
    let claims = VerdictClaims(
      issuer: identity.appID, subject: issued.username, operation: issued.operation,
      proofOperations: issued.proofOperations, challengeHash: Base64URL.encode(issued.challengeHash), issuedAt: now,
      expiresAt: now + VerdictToken.lifetime, tokenID: Base64URL.encode(try environment.random(16)))
    let token = Token(type: Token.jwt, value: try VerdictToken(keys: environment.keys).sign(claims))
    return .accepted(
      token: token, operation: issued.operation, username: issued.username, keys: keys,
      ignoresDeviceName: ignoresDeviceName, forgotten: forgotten)
  }
}
