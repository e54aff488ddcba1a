import UAFCrypto
import UAFMessages

/// One answer to a request for an authentication: reads, verifies outside any transaction, and then stores in one commit.
struct AuthenticationResponseSession {
  let session: ResponseSession
  let response: AuthenticationResponse

  private var environment: ServiceEnvironment { session.environment }
  private var data: ServerData { session.answer.serverData }

  /// What the store knows of the account and the challenge.
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
  func outcome() async throws -> ResponseOutcome {
    let found = try await find()
    guard !found.isUsed else { throw ServiceRefusal.unknownChallenge }
    let text = try confirmed(found)
    let decoys = try self.decoys(besides: found.keys)
    let issued = try issued(stored: found.keys, decoys: decoys, text: text)
    let keys = found.keys + decoys
    let verifier = session.verifier
    let verified: [VerifiedAuthentication]
    do {
      verified = try verifier.verify(response, read: session.answer.parameters, issued: issued, keys: keys)
    } catch ServiceRefusal.counterNotIncreased {
      let seen = verifier.keyAhead(of: response, issued: issued, keys: keys)
      return .refused(
        .counterNotIncreased, seen: seen.map { SeenCounter(keyID: $0.keyID, signCounter: $0.signCounter) })
    }
    return try await store(verified, text: text, keys: keys)
  }

  private func find() async throws -> Found {
    let challenge = session.answer.challenge
    if data.needsVouchedKey {
      return try await environment.store.read { [session, data] records in
        Found(
          isUsed: try records.usedChallenges.contains(challenge),
          keys: try records.credentials.vouchedKeys(of: data.username, appID: session.identity.appID),
          approvalText: nil)
      }
    }
    guard let id = data.approvalID else {
      let found = try await environment.store.login(
        of: data.username, appID: session.identity.appID, challenge: challenge)
      return Found(isUsed: found.isUsed, keys: found.keys, approvalText: nil)
    }
    return try await environment.store.read { [session, data] records in
      Found(
        isUsed: try records.usedChallenges.contains(challenge),
        keys: try records.credentials.keys(of: data.username, appID: session.identity.appID),
        approvalText: try records.approvals.text(id: id, reservedBy: challenge.hash, now: session.now))
    }
  }

  /// The text that has to be confirmed; nil if there is none.
  private func confirmed(_ found: Found) throws -> TransactionText? {
    guard data.approvalID != nil else { return try data.text.text(sentAgain: session.answer.context?.transaction) }
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

  /// How many decoys of one model are looked for at least: the shapes may have changed since the request.
  private static let leastSearched = 16

  /// The request as it was issued.
  private func issued(stored: [StoredKey], decoys: [StoredKey], text: TransactionText?) throws -> IssuedRequest {
    let asked = try AskedKeys(environment: environment, username: data.username, stored: stored)
    // A decoy that is not asked for now was asked for then.
    let then = decoys.map { [MatchCriteria(aaid: $0.aaid, keyIDs: [$0.keyID])] }
    return IssuedRequest(
      operation: .authentication, username: data.username, challengeHash: session.answer.challengeHash,
      appID: session.identity.appID, serverData: session.answer.serverDataText,
      policy: Policy(accepted: asked.accepted + then), transaction: try text.map { try Transaction(signing: $0) },
      device: Device(), expiresAt: data.expiresAt)
  }

  private func store(
    _ verified: [VerifiedAuthentication], text: TransactionText?, keys: [StoredKey]
  ) async throws -> ResponseOutcome {
    let machineSecret = try session.machineSecret(ofSigning: verified.map(\.keyID), among: keys)
    let token = try session.token(for: verified.map(\.keyID), confirming: text, with: machineSecret)
    let texts = text.map { text in verified.compactMap { confirmation(of: text, by: $0, keys: keys) } } ?? []
    let answer = VerifiedAnswer(
      username: data.username, challengeHash: session.answer.challenge.hash, expiresAt: data.expiresAt,
      signatures: verified, confirmedTexts: texts, approvalID: data.approvalID, now: session.now,
      address: session.address, machine: machine(of: verified, keys), detail: try detail(text))
    try await environment.store.store(answer)
    return .accepted(
      token: token, machineSecret: machineSecret,
      keys: verified.map { AcceptedKey(aaid: $0.aaid, keyID: $0.keyID) })
  }

  /// The machine of the keys, by its name or its id.
  private func machine(of verified: [VerifiedAuthentication], _ keys: [StoredKey]) -> String {
    let key = keys.first { key in verified.contains { $0.aaid == key.aaid && $0.keyID == key.keyID } }
    return key.flatMap { $0.deviceName ?? $0.deviceID } ?? ""
  }

  /// Which text was confirmed, of which kind it is, and for which approval; empty for a login.
  private func detail(_ text: TransactionText?) throws -> String {
    guard let text else { return "" }
    var object: JSONObject = ["text": .string(Base64URL.encode(try SHA256.hash(Array(text.shown.utf8))))]
    object.set("kind", TextKind(of: text.shown).map { .string($0.rawValue) })
    object.set("approval", data.approvalID.map(JSONValue.integer))
    return JSONValue.object(object).text
  }

  private func confirmation(
    of text: TransactionText, by signature: VerifiedAuthentication, keys: [StoredKey]
  ) -> ConfirmedText? {
    keys.first { $0.aaid == signature.aaid && $0.keyID == signature.keyID }.map { key in
      ConfirmedText(
        username: data.username, confirmedAt: session.now, shown: text.shown, fcParams: response.fcParams,
        assertion: signature.assertion, publicKey: key.publicKey, signatureAlgorithm: key.signatureAlgorithm)
    }
  }
}
