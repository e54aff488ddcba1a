import UAFCrypto
import UAFMessages

/// The processing of one registration response (UAF protocol 1.1, section 3.4.6.5).
///
/// It reads, verifies outside any transaction, and then stores in one transaction.
struct RegistrationResponseProcessing: Sendable {
  let shared: ResponseProcessing
  let response: RegistrationResponse

  private struct Found: Sendable {
    let issued: IssuedRequest
    let enrolmentID: Int64?
    /// The enrolment code with which the client asked for the request, if it is still open and reserved for it.
    let enrolment: OpenEnrolment?
    /// All keys of the account, oldest first.
    let stored: [StoredKey]
    /// The keys of the answer that are already registered, for any account.
    let registered: [(aaid: AAID, keyID: KeyID)]
  }

  /// Verifies the answer, and stores what was verified.
  ///
  /// A refused answer stores nothing. Its request can still be answered until it expires.
  ///
  /// - Throws: ``ServiceRefusal``; anything else only if something failed.
  func process() async throws -> ResponseOutcome {
    let store = shared.environment.store
    guard let found = try await store.read({ try find(in: $0) }) else { throw ServiceRefusal.unknownChallenge }
    guard found.enrolmentID == nil || found.enrolment != nil else { throw ServiceRefusal.enrolmentCodeUsed }
    let verified = try shared.verifier.verify(response, issued: found.issued) { aaid, keyID in
      found.registered.contains { $0.aaid == aaid && $0.keyID == keyID }
    }
    let allowance = try NewKeysAllowance(shared, response, found.issued)
    var signatures: [VerifiedAuthentication] = []
    if found.enrolmentID != nil {
      guard try allowance.isAllowed(by: found.enrolment) else { throw ServiceRefusal.keysNotAllowed }
    } else {
      signatures = try allowance.signatures(by: found.stored)
    }
    let machineSecret = try shared.machineSecret(
      ofRegistering: verified.map(\.keyID), on: found.issued.device.id,
      keeping: found.stored.filter { !found.issued.lostKeyIDs.contains($0.keyID) })
    let token = try shared.token(for: verified.map(\.keyID), on: found.issued.device.id, with: machineSecret)
    let acceptance = Acceptance(
      token: token, machineSecret: machineSecret, allowance: allowance, signatures: signatures)
    return try await store.write { try self.store(verified, found, acceptance, in: $0) }
  }

  /// The content of a successful answer, and what allows the new keys.
  private struct Acceptance {
    let token: Token
    let machineSecret: MachineSecret?
    let allowance: NewKeysAllowance
    let signatures: [VerifiedAuthentication]
  }

  private func find(in records: any StoreTransaction) throws -> Found? {
    let hash = shared.received.challengeHash
    guard let open = try records.openRegistrations.find(hash: hash, serverData: shared.received.serverDataText) else {
      return nil
    }
    let registered = try response.assertions.compactMap { envelope -> (aaid: AAID, keyID: KeyID)? in
      guard let assertion = try? UnverifiedRegistrationAssertion(parsing: envelope.assertion),
        try records.credentials.exists(assertion.aaid, assertion.keyID)
      else { return nil }
      return (assertion.aaid, assertion.keyID)
    }
    var enrolment: OpenEnrolment?
    if let id = open.enrolmentID, try records.enrolments.isReserved(id: id, by: hash) {
      // Looked up at the time of the request: the code may have expired since, which is no reason to refuse.
      let asked = open.issued.expiresAt - IssuedRequest.lifetime
      enrolment = try records.enrolments.find(for: open.issued.username, now: asked).flatMap {
        $0.id == id ? $0 : nil
      }
    }
    return Found(
      issued: open.issued, enrolmentID: open.enrolmentID, enrolment: enrolment,
      stored: try records.credentials.keys(of: open.issued.username, appID: open.issued.appID), registered: registered)
  }

  /// Repeats the checks whose outcome may have changed since the answer was verified, and stores the keys.
  private func store(
    _ verified: [VerifiedRegistration], _ found: Found, _ acceptance: Acceptance,
    in records: any StoreTransaction
  ) throws -> ResponseOutcome {
    try checkAgain(verified, found, in: records)
    guard let isProved = try acceptance.allowance.isMachineProved(in: records) else {
      throw ServiceRefusal.machineNotProved
    }
    // Before the lost keys are deleted: one of them may have made the proof.
    var origin = try origin(found, acceptance.signatures, in: records)
    origin.isMachineProved = isProved
    guard try records.openRegistrations.take(hash: shared.received.challengeHash) else {
      throw ServiceRefusal.unknownChallenge
    }
    // From here on a refusal is returned, not thrown: the request stays taken, and its signatures stay counted.
    guard try isUsed(acceptance.signatures, of: found.issued.username, in: records) else {
      return .refused(.keysNotAllowed)
    }
    do {
      let (forgotten, keepsName) = try replaceKeys(by: verified, found, origin, in: records)
      try records.audit.append([event(verified, found, forgotten, acceptance.signatures)])
      return .accepted(
        token: acceptance.token, machineSecret: acceptance.machineSecret,
        keys: verified.map { AcceptedKey(aaid: $0.aaid, keyID: $0.keyID) }, ignoresDeviceName: !keepsName,
        forgotten: forgotten)
    } catch let refusal as ServiceRefusal {
      return .refused(refusal)
    }
  }

  /// Refuses the keys if, since the answer was verified, the account was blocked, the code or the proof has become invalid, or
  /// one of the keys was registered.
  private func checkAgain(
    _ verified: [VerifiedRegistration], _ found: Found, in records: any StoreTransaction
  ) throws {
    let issued = found.issued
    if let refusal = try records.accounts.block(of: issued.username)?.refusal(at: shared.now) { throw refusal }
    if let id = found.enrolmentID {
      guard try records.enrolments.isReserved(id: id, by: shared.received.challengeHash) else {
        throw ServiceRefusal.enrolmentCodeUsed
      }
    } else {
      // A registration without a code was begun with a proof.
      let issuedAt = issued.expiresAt - IssuedRequest.lifetime
      let mark = shared.received.serverData.proofSubject
      guard
        try records.credentials.allowFurtherKey(
          for: issued.username, byProofMadeAt: issuedAt, marked: mark.isEmpty ? nil : mark)
      else { throw ServiceRefusal.wrongProof }
    }
    for key in verified where try records.credentials.exists(key.aaid, key.keyID) {
      throw ServiceRefusal.keyAlreadyRegistered
    }
  }

  private func origin(
    _ found: Found, _ signatures: [VerifiedAuthentication], in records: any StoreTransaction
  ) throws -> KeyOrigin {
    if let id = found.enrolmentID { return KeyOrigin(try records.issuedCodes.code(id)) }
    let keys = try records.credentials.records(of: found.issued.username)
    return KeyOrigin(signedBy: keys.filter { key in signatures.contains { $0.keyID == key.keyID } })
  }

  /// The row of the audit: the new keys, what allowed them, and the lost keys that they replace.
  private func event(
    _ verified: [VerifiedRegistration], _ found: Found, _ forgotten: [KeyID], _ signatures: [VerifiedAuthentication]
  ) -> AuditEntry {
    var detail: JSONObject = ["by": .string(found.enrolmentID == nil ? "key" : "code")]
    if !signatures.isEmpty { detail.set("keys", .array(signatures.map { .string($0.keyID.text) })) }
    if !forgotten.isEmpty { detail.set("replaced", .array(forgotten.map { .string($0.text) })) }
    return AuditEntry(
      time: shared.now, kind: .registration, account: found.issued.username, actor: .person, address: shared.address,
      machine: found.issued.device.name ?? found.issued.device.id ?? "",
      authenticators: verified.map { "\($0.aaid.text) \($0.keyID.text)" }.joined(separator: ", "),
      detail: JSONValue.object(detail).text)
  }

  /// Raises the counters of the signatures that have allowed the keys.
  ///
  /// - Returns: false if one of their keys was revoked, blocked or used in the meantime; no counter is raised then.
  private func isUsed(
    _ signatures: [VerifiedAuthentication], of username: String, in records: any StoreTransaction
  ) throws -> Bool {
    var isUsed = false
    try records.keeping {
      isUsed = try signatures.allSatisfy {
        try records.credentials.raiseCounter($0, of: username, now: shared.now)
      }
      return isUsed
    }
    return isUsed
  }

  /// Deletes the keys that the machine has lost, and stores the new ones: both, or neither.
  ///
  /// - Returns: the deleted keys, and whether the machine keeps its name.
  /// - Throws: ``ServiceRefusal/tooManyKeys`` if the account would still have too many keys;
  ///   ``ServiceRefusal/lastAdministrator`` if no administrator could sign in any longer, because the new keys are not accepted
  ///   for that; the store's errors.
  private func replaceKeys(
    by verified: [VerifiedRegistration], _ found: Found, _ origin: KeyOrigin, in records: any StoreTransaction
  ) throws -> (forgotten: [KeyID], keepsName: Bool) {
    let issued = found.issued
    let losesKeys = !issued.lostKeyIDs.isEmpty
    let isKept =
      try losesKeys
      && records.hasUsableAdministrator(
        passkeys: shared.environment.passkeyReach, now: shared.now)
    var removed: [(aaid: AAID, keyID: KeyID)] = []
    var keepsName = true
    try records.keeping {
      removed =
        losesKeys
        ? try records.credentials.removeAll(
          of: issued.username, appID: issued.appID, deviceID: issued.device.id, aaid: nil, keyIDs: issued.lostKeyIDs)
        : []
      let usage = try records.credentials.usage(of: issued.username, appID: issued.appID)
      guard usage.hasRoom(for: verified.map(\.keyID)) else { throw ServiceRefusal.tooManyKeys }
      try records.accounts.add(issued.username, now: shared.now)
      keepsName = try add(verified, found, origin, in: records)
      guard
        try !isKept
          || records.hasUsableAdministrator(
            passkeys: shared.environment.passkeyReach, now: shared.now)
      else {
        throw ServiceRefusal.lastAdministrator
      }
      return true
    }
    return (removed.map(\.keyID), keepsName)
  }

  /// Stores the new keys, and closes the enrolment code.
  ///
  /// - Returns: whether the machine keeps its name.
  private func add(
    _ verified: [VerifiedRegistration], _ found: Found, _ origin: KeyOrigin, in records: any StoreTransaction
  ) throws -> Bool {
    var keepsName = true
    for key in verified {
      keepsName = try records.credentials.add(key, issued: found.issued, origin: origin, now: shared.now) && keepsName
    }
    if let id = found.enrolmentID {
      try records.enrolments.consume(id: id)
      try records.issuedCodes.markUsed(id, now: shared.now)
    }
    return keepsName
  }
}

/// Decides whether the new keys of an answer are allowed: by an enrolment code or by registered keys, and by the machine on
/// which the new keys were made.
///
/// Nothing that an attacker can intercept allows a key: the MAC or the signature covers exactly these keys, this account and
/// this request.
struct NewKeysAllowance {
  let shared: ResponseProcessing
  let response: RegistrationResponse
  let issued: IssuedRequest
  /// The statement, about exactly the keys of the answer, that must be authenticated or signed.
  let statement: NewKeysStatement

  private var environment: ServiceEnvironment { shared.environment }
  private var context: RequestContext? { shared.received.context }

  /// - Throws: ``ServiceRefusal`` for an assertion that cannot be read; ``MessageError``.
  init(_ shared: ResponseProcessing, _ response: RegistrationResponse, _ issued: IssuedRequest) throws {
    self.shared = shared
    self.response = response
    self.issued = issued
    let keys = try response.assertions.map { envelope in
      guard let assertion = try? UnverifiedRegistrationAssertion(parsing: envelope.assertion) else {
        throw ServiceRefusal.malformedAssertion
      }
      return NewKeysStatement.Key(
        aaid: assertion.aaid, keyID: assertion.keyID, publicKey: assertion.publicKey)
    }
    let challenge = try Base64URL.decode(shared.received.parameters.challenge, maximumCount: 64)
    statement = NewKeysStatement(
      username: issued.username, appID: issued.appID, challenge: try ServerChallenge(bytes: challenge), keys: keys)
  }

  /// Whether the keys are authenticated with the enrolment code.
  ///
  /// - Throws: ``CryptoError``; ``SecretMemoryError``.
  func isAllowed(by code: OpenEnrolment?) throws -> Bool {
    guard let code, let sent = context?.codeMAC else { return false }
    return try EnrolmentSeal(keys: environment.keys)
      .isValid(sent, of: EnrolmentCode.keysStatement(statement), by: code.sealedKey, for: issued.username)
  }

  /// The signatures with which registered keys allow the new ones.
  ///
  /// They must be signatures that would suffice for a login.
  ///
  /// - Parameter stored: every key of the account.
  /// - Throws: ``ServiceRefusal``; ``CryptoError``; ``MessageError``.
  func signatures(by stored: [StoredKey]) throws -> [VerifiedAuthentication] {
    guard let text = context?.authorization, case .authentication(let signed)? = try? UAFResponse(parsing: text) else {
      throw ServiceRefusal.keysNotAllowed
    }
    let challenge = try statement.authorization(hash: SHA256.hash)
    let asked = try AskedKeys(environment: environment, username: issued.username, stored: stored)
    let request = IssuedRequest(
      operation: .authentication, username: issued.username, challengeHash: try SHA256.hash(challenge.bytes),
      appID: issued.appID, serverData: issued.serverData, policy: Policy(accepted: asked.accepted), transaction: nil,
      device: Device(), expiresAt: issued.expiresAt)
    var verifier = shared.verifier
    verifier.checksChannelBinding = false
    return try verifier.verify(signed, issued: request, keys: stored)
  }

  /// Whether the machine has proved that the keys were made on it; nil if it must prove that, but has not.
  ///
  /// The ID of a machine that has not joined is only what the client says. A machine that has joined must prove itself.
  ///
  /// - Throws: ``CryptoError``; the store's errors.
  func isMachineProved(in records: any StoreTransaction) throws -> Bool? {
    guard let deviceID = issued.device.id, let joined = try records.joinedMachines.machine(deviceID),
      joined.leftAt == nil, joined.revokedAt == nil
    else { return false }
    guard let machineID = context?.machineID, let code = context?.machineMAC,
      try records.joinedMachines.machine(machineID: machineID)?.id.isIdentical(to: deviceID) == true
    else { return nil }
    let made = statement.machineStatement(deviceID: deviceID)
    return try MachineProofs(keys: environment.keys).isMade(code, of: made, by: machineID) ? true : nil
  }
}
