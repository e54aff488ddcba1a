import SecretMemory
import UAFCrypto
import UAFMessages
import WebAuthn

/// The ceremonies of WebAuthn: makes options, verifies answers, and stores what was verified.
package struct PasskeyService: Sendable {
  private let environment: ServiceEnvironment
  private let furtherPort: Int?

  /// - Parameter furtherPort: a further port of the server's host whose pages may answer, such as the console's; nil for none.
  package init(environment: ServiceEnvironment, furtherPort: Int? = nil) {
    self.environment = environment
    self.furtherPort = furtherPort
  }

  /// The algorithms that new passkeys may have, in the order of preference.
  private static let algorithms: [COSEAlgorithm] = [.es256, .edDSA, .rs256]

  // MARK: Registration

  /// What a client asks for a registration.
  package struct RegistrationQuestion: Sendable {
    let username: String
    let code: EnrolmentCode?
    let attachment: AuthenticatorAttachment?

    /// - Parameters:
    ///   - username: the account, a valid name.
    ///   - code: the enrolment code as it was typed; nil for none.
    ///   - attachment: the kind of authenticator that the person wants to use; nil for any.
    package init(username: String, code: String?, attachment: AuthenticatorAttachment? = nil) {
      self.username = username
      self.code = code.flatMap { EnrolmentCode(typed: $0) }
      self.attachment = attachment
    }
  }

  /// Makes the options of a registration, for somebody with an enrolment code of the account.
  ///
  /// The code is reserved for these options: earlier ones can no longer be answered.
  ///
  /// - Throws: ``ServiceRefusal``; anything else only if something failed.
  package func creationOptions(_ asked: RegistrationQuestion) async throws -> PublicKeyCredentialCreationOptions {
    let party = try relyingParty()
    let policy = try policy(of: asked.username)
    let now = environment.now()
    let challenge = try challenge(for: .registrationByCode, of: asked.username, now: now)
    let newHandle = try userHandle(of: asked.username)
    guard let code = asked.code else { throw ServiceRefusal.wrongEnrolmentCode }
    let proof = try EnrolmentSeal.proof(of: code, for: asked.username)
    return try await environment.store.write { records in
      let enrolment = try authorized(proof, for: asked.username, in: records, now: now)
      if let refusal = try records.accounts.block(of: asked.username)?.refusal(at: now) { throw refusal }
      let passkeys = try records.passkeys.passkeys(of: asked.username)
      let usable = passkeys.filter { $0.isUsable(at: party.id) }
      // Refused now, before the authenticator makes a passkey that could not be stored.
      guard usable.count < PasskeyRecord.mostOfAccount else { throw ServiceRefusal.tooManyKeys }
      try records.enrolments.reserve(id: enrolment.id, challengeHash: challenge.hash)
      return PublicKeyCredentialCreationOptions(
        relyingParty: RelyingPartyEntity(id: party.id.text, name: party.id.text),
        user: try UserEntity(
          id: passkeys.first?.userHandle ?? newHandle, name: asked.username, displayName: asked.username),
        challenge: challenge.bytes, algorithms: Self.algorithms, timeoutMilliseconds: IssuedRequest.lifetime * 1000,
        excludedCredentials: PasskeyShape.descriptors(usable), attachment: asked.attachment, residentKey: .preferred,
        userVerification: policy.requiresUserVerification ? .required : .preferred,
        // Browsers ask the person before they say which model it is, so it is asked only where it decides.
        attestation: policy.models == nil ? .none : .direct)
    }
  }

  /// The open code of the account, if it is the one that was sent.
  ///
  /// It takes the same time whether a code is open or not.
  private func authorized(
    _ proof: [UInt8], for username: String, in records: any StoreTransaction, now: Int64
  ) throws -> OpenEnrolment {
    let open = try records.enrolments.find(for: username, now: now)
    let isRight = try EnrolmentSeal(keys: environment.keys).isProof(proof, by: open?.sealedKey, for: username)
    guard let open, isRight else { throw ServiceRefusal.wrongEnrolmentCode }
    return open
  }

  /// Verifies the answer to the options of a registration, and stores the new passkey.
  ///
  /// - Parameters:
  ///   - received: the answer.
  ///   - address: where it came from, for the audit; empty if that is not known.
  /// - Throws: ``ServiceRefusal``; anything else only if something failed.
  package func register(_ received: ReceivedPasskeyResponse, at address: String = "") async throws -> AcceptedPasskey {
    guard case .registration(let response) = received.message else { throw ServiceRefusal.otherOperation }
    let challenge = received.challenge
    guard challenge.data.purpose == .registrationByCode else { throw ServiceRefusal.otherOperation }
    let (username, now) = (challenge.data.username, environment.now())
    let policy = try policy(of: username)
    let expectation = try expectation(challenge, policy)
    let credential: RegisteredCredential
    switch try RegistrationVerification(response, expecting: expectation, algorithms: Self.algorithms) {
    case .accepted(let verified): credential = verified
    case .refused(let reason): throw ServiceRefusal(reason)
    }
    let isAttested = environment.models.passkeys.vouches(for: credential, at: now)
    let attestedModel = isAttested ? credential.aaguid : nil
    guard policy.accepts(isBackupEligible: credential.isBackupEligible, attestedModel: attestedModel) else {
      throw ServiceRefusal.notInPolicy
    }
    let token = try token(for: credential.id, challenge, .registration, of: username, now: now)
    let newHandle = try userHandle(of: username)
    return try await environment.store.write { records in
      // Looked up at the time of the options: the code may have expired since, which is no reason to refuse.
      let asked = challenge.data.expiresAt - IssuedRequest.lifetime
      guard let enrolment = try records.enrolments.find(for: username, now: asked) else {
        throw ServiceRefusal.enrolmentCodeUsed
      }
      // The code is still good: it has opened other options since.
      guard try records.enrolments.isReserved(id: enrolment.id, by: challenge.hash) else {
        throw ServiceRefusal.unknownChallenge
      }
      if let refusal = try records.accounts.block(of: username)?.refusal(at: now) { throw refusal }
      guard try records.passkeys.passkey(credential.id) == nil else { throw ServiceRefusal.keyAlreadyRegistered }
      let stored = try records.passkeys.passkeys(of: username)
      let usable = stored.count { $0.isUsable(at: expectation.relyingPartyID) }
      guard usable < PasskeyRecord.mostOfAccount else { throw ServiceRefusal.tooManyKeys }
      let passkey = PasskeyRecord(
        username: username, relyingPartyID: expectation.relyingPartyID.text, id: credential.id,
        userHandle: stored.first?.userHandle ?? newHandle,
        publicKey: credential.publicKey, signCounter: credential.signatureCounter, aaguid: credential.aaguid,
        isAttested: isAttested, isBackupEligible: credential.isBackupEligible, isBackedUp: credential.isBackedUp,
        transports: PasskeyShape.kept(credential.transports), registeredAt: now,
        origin: KeyOrigin(try records.issuedCodes.code(enrolment.id)))
      // Of two answers at the same time, the store lets one close the code.
      guard try records.enrolments.consume(id: enrolment.id) else { throw ServiceRefusal.enrolmentCodeUsed }
      try records.passkeys.add(passkey)
      try records.issuedCodes.markUsed(enrolment.id, now: now)
      try records.audit.append([Self.event(passkey, at: address, now: now)])
      return AcceptedPasskey(username: username, id: credential.id, token: token)
    }
  }

  /// The row of the audit for a registration.
  private static func event(_ passkey: PasskeyRecord, at address: String, now: Int64) -> AuditEntry {
    let detail: JSONObject = [
      "by": .string("code"), "aaguid": .string(passkey.aaguid.description), "attested": .bool(passkey.isAttested),
      "synced": .bool(passkey.isBackupEligible),
    ]
    return AuditEntry(
      time: now, kind: .registration, account: passkey.username, actor: .person, address: address,
      authenticators: "passkey \(passkey.idText)", detail: JSONValue.object(detail).text)
  }

  // MARK: Authentication

  /// Makes the options of an authentication.
  ///
  /// Names without passkeys get decoys.
  ///
  /// - Parameters:
  ///   - username: the account, a valid name; nil if the person chooses a passkey that knows its account.
  ///   - purpose: what the answer will be for.
  ///   - text: the text that the answer confirms; nil for none.
  /// - Throws: ``ServiceRefusal``; anything else only if something failed.
  package func requestOptions(
    for username: String?, purpose: ChallengePurpose = .login, confirming text: String? = nil
  ) async throws -> PublicKeyCredentialRequestOptions {
    let party = try relyingParty()
    var requiresUserVerification = true
    var allowed: [CredentialDescriptor] = []
    if let username {
      requiresUserVerification = try policy(of: username).requiresUserVerification || purpose.isOfConsole
      // Computed for every name, so that the time does not show which names have passkeys.
      let decoys = try PasskeyDecoys(keys: environment.keys)
        .descriptors(of: username, shapes: environment.passkeyShapes.shapes)
      let passkeys = try await environment.store.read { try $0.passkeys.passkeys(of: username) }
      let known = passkeys.filter { $0.relyingPartyID.isIdentical(to: party.id.text) }
      allowed = known.isEmpty ? decoys : PasskeyShape.descriptors(PasskeyShape.listed(known) { $0.revocation != nil })
    } else {
      guard try environment.policies().acceptsPasskeysOfAnybody else { throw ServiceRefusal.passkeysNotAccepted }
    }
    let challenge = try challenge(for: purpose, of: username ?? "", confirming: text, now: environment.now())
    return PublicKeyCredentialRequestOptions(
      challenge: challenge.bytes, timeoutMilliseconds: IssuedRequest.lifetime * 1000, relyingPartyID: party.id.text,
      allowedCredentials: allowed, userVerification: requiresUserVerification ? .required : .preferred)
  }

  /// Verifies the answer to the options of an authentication, and stores it.
  ///
  /// - Parameters:
  ///   - received: the answer.
  ///   - purpose: what the options were for.
  ///   - account: the account that the options must be for; nil for any.
  ///   - text: the text that the answer must confirm; nil for none.
  ///   - signed: is called with the account whose passkey has signed, before anything else is decided about it.
  ///   - address: where the answer came from, for the audit; empty if that is not known.
  /// - Throws: ``ServiceRefusal``, and nothing is stored; anything else only if something failed.
  package func authenticate(
    _ received: ReceivedPasskeyResponse, purpose: ChallengePurpose = .login, of account: String? = nil,
    confirming text: String? = nil, signed: (String) -> Void = { _ in }, at address: String = ""
  ) async throws -> AcceptedPasskey {
    // A text of another challenge is told as another operation: the other reason is for answers that were signed.
    guard case .authentication(let response) = received.message, received.challenge.data.purpose == purpose,
      try received.challenge.isAbout(text)
    else { throw ServiceRefusal.otherOperation }
    if let account, received.username?.isIdentical(to: account) != true { throw ServiceRefusal.otherUser }
    let (challenge, now) = (received.challenge, environment.now())
    let found = try await environment.store.read { records in
      (
        isUsed: try records.usedChallenges.contains(challenge.issued),
        passkey: try records.passkeys.passkey(response.credentialID)
      )
    }
    guard !found.isUsed else { throw ServiceRefusal.unknownChallenge }
    let passkey = try verified(response, challenge, found.passkey, signed)
    let token = try token(for: passkey.id, challenge, .authentication, of: passkey.username, now: now)
    let used = UsedPasskey(
      id: passkey.id, signCounter: response.authenticatorData.signatureCounter,
      isBackedUp: response.authenticatorData.flags.contains(.backedUp))
    try await environment.store.store(
      VerifiedResponse(
        username: passkey.username, challengeHash: challenge.issued.hash, expiresAt: challenge.issued.expiresAt,
        signatures: [], passkey: used, isOfConsole: purpose.isOfConsole, confirmedTexts: [], approvalID: nil, now: now,
        address: address, detail: try Self.detail(purpose, text)))
    return AcceptedPasskey(username: passkey.username, id: passkey.id, token: token)
  }

  /// The detail of the row of the audit: what the answer was for, unless it was a login, and the hash of the confirmed text.
  private static func detail(_ purpose: ChallengePurpose, _ text: String?) throws -> String {
    guard purpose != .login else { return "" }
    var object: JSONObject = ["kind": .string(purpose.word)]
    object.set("text", try text.map { .string(Base64URL.encode(try SHA256.hash(Array($0.utf8)))) })
    return JSONValue.object(object).text
  }

  /// The passkey that has signed.
  ///
  /// An identifier that no passkey of the account has is refused like a wrong signature, after the same work.
  ///
  /// - Throws: ``ServiceRefusal``; ``CryptoError``.
  private func verified(
    _ response: AssertionResponse, _ challenge: PasskeyChallenge, _ found: PasskeyRecord?,
    _ signed: (String) -> Void
  ) throws -> PasskeyRecord {
    let asked = challenge.data.username
    // A person who names no account must be named by the passkey.
    guard !asked.isEmpty || response.userHandle != nil else { throw ServiceRefusal.malformedAssertion }
    let passkey = found.flatMap { asked.isEmpty || $0.username.isIdentical(to: asked) ? $0 : nil }
    // What is compared before the signature must not depend on the record: the time would show whether there is one.
    let credential = StoredCredential(
      id: response.credentialID, publicKey: try passkey?.publicKey ?? COSEKey(es256: environment.keys.decoyPublicKey),
      signatureCounter: passkey?.signCounter ?? 0,
      isBackupEligible: response.authenticatorData.flags.contains(.backupEligible), userHandle: nil)
    let rule = try asked.isEmpty ? PasskeyPolicy() : policy(of: asked)
    let expectation = try expectation(challenge, challenge.data.needsVouchedKey ? PasskeyPolicy() : rule)
    if case .refused(let reason) = try AssertionVerification(response, expecting: expectation, by: credential) {
      // The counter is compared after the signature.
      if reason == .counterBack, let passkey { signed(passkey.username) }
      throw ServiceRefusal(reason)
    }
    // Nobody has signed with a decoy, whose private key was thrown away.
    guard let passkey else { throw ServiceRefusal.invalidSignature }
    signed(passkey.username)
    guard response.userHandle == nil || response.userHandle == passkey.userHandle,
      credential.isBackupEligible == passkey.isBackupEligible
    else { throw ServiceRefusal.otherPasskey }
    guard passkey.revocation == nil else { throw ServiceRefusal.revokedKey }
    guard !challenge.data.needsVouchedKey || passkey.countsForSteps,
      try policy(of: passkey.username).accepts(passkey.kind)
    else { throw ServiceRefusal.notInPolicy }
    return passkey
  }

  // MARK: Both

  /// Reads an answer, without the store.
  ///
  /// - Throws: ``ServiceRefusal``; anything else only if something failed.
  package func read(_ message: PasskeyMessage) throws -> ReceivedPasskeyResponse {
    ReceivedPasskeyResponse(
      message: message,
      challenge: try PasskeyChallenge(
        answered: message.clientData.challenge, keys: environment.keys, now: environment.now()))
  }

  /// - Throws: ``ServiceRefusal/noRelyingParty`` if the server's URL has an IP address.
  private func relyingParty() throws -> PasskeyRelyingParty {
    guard let party = try PasskeyRelyingParty(publicURL: environment.identity().publicURL) else {
      throw ServiceRefusal.noRelyingParty
    }
    return party
  }

  /// - Throws: ``ServiceRefusal/passkeysNotAccepted`` if the policy of the account has no passkeys.
  private func policy(of username: String) throws -> PasskeyPolicy {
    guard let policy = try environment.policies().passkeys(for: username) else {
      throw ServiceRefusal.passkeysNotAccepted
    }
    return policy
  }

  /// The user handle of an account's first passkey: the further ones have the same.
  ///
  /// It follows from the name by a secret that is never rotated, so it says nothing about the person, and the server need not
  /// remember it between options and answer.
  private func userHandle(of username: String) throws -> [UInt8] {
    try environment.keys.decoyCode("passkey user", Array(username.utf8))
  }

  private func challenge(
    for purpose: ChallengePurpose, of username: String, confirming text: String? = nil, now: Int64
  ) throws -> PasskeyChallenge {
    try PasskeyChallenge(
      ServerData(purpose, username: username, expiresAt: now + IssuedRequest.lifetime), text: text,
      unique: environment.random(PurposedChallenge.uniqueByteCount), keys: environment.keys)
  }

  private func expectation(_ challenge: PasskeyChallenge, _ policy: PasskeyPolicy) throws -> CeremonyExpectation {
    let party = try relyingParty()
    return CeremonyExpectation(
      challenge: challenge.bytes, origins: party.origins + (furtherPort.map { [party.origin(port: $0)] } ?? []),
      relyingPartyID: party.id, requiresUserVerification: policy.requiresUserVerification)
  }

  /// The signed verdict, which must not leave the server before the result that it states is stored.
  private func token(
    for id: [UInt8], _ challenge: PasskeyChallenge, _ operation: UAFOperation, of username: String, now: Int64
  ) throws -> Token {
    var claims = VerdictClaims(
      issuer: try environment.identity().appID, subject: username, operation: operation,
      purpose: challenge.data.purpose, challengeHash: Base64URL.encode(challenge.hash), issuedAt: now,
      expiresAt: now + VerdictToken.lifetime, tokenID: Base64URL.encode(try environment.random(16)))
    claims.keyIDs = [Base64URL.encode(id)]
    return Token(type: Token.jwt, value: try VerdictToken(keys: environment.keys).sign(claims))
  }
}

/// A client's answer to options of WebAuthn, which nobody has verified.
package enum PasskeyMessage: Sendable {
  case registration(AttestationResponse)
  case authentication(AssertionResponse)

  var clientData: CollectedClientData {
    switch self {
    case .registration(let response): response.clientData
    case .authentication(let response): response.clientData
    }
  }
}

/// An answer to options of this server that have not expired.
package struct ReceivedPasskeyResponse: Sendable {
  let message: PasskeyMessage
  let challenge: PasskeyChallenge

  /// The account of the options; nil if they were for whoever the passkey belongs to.
  package var username: String? { challenge.data.username.isEmpty ? nil : challenge.data.username }
  /// SHA-256 of the challenge.
  package var challengeHash: [UInt8] { challenge.hash }

  /// The row of the audit for the refusal of this answer.
  ///
  /// - Parameter account: the account of the options, or of the passkey that has signed; nil if neither is known.
  package func event(
    refused refusal: ServiceRefusal, of account: String?, from address: String, now: Int64
  ) -> AuditEntry {
    let (kind, id): (AuditKind, [UInt8]) =
      switch message {
      case .registration(let response):
        (.registration, response.attestationObject.authenticatorData.attestedCredential?.credentialID ?? [])
      case .authentication(let response):
        (challenge.data.needsVouchedKey ? .confirmation : .login, response.credentialID)
      }
    return AuditEntry(
      time: now, kind: kind, outcome: refusal.rawValue, account: account ?? "", actor: .person, address: address,
      authenticators: "passkey \(Base64URL.encode(id).prefix(64))")
  }

  /// Whether a refused answer comes from somebody with authority for the account: with its code or with one of its passkeys.
  ///
  /// - Parameter isSigned: whether a passkey of the account has signed it.
  package func isAuthorised(isSigned: Bool) -> Bool { isSigned || challenge.data.purpose == .registrationByCode }
}

/// A passkey whose answer was accepted and stored.
package struct AcceptedPasskey: Sendable {
  package let username: String
  package let id: [UInt8]
  /// The verdict.
  package let token: Token
}

extension ServiceRefusal {
  /// The reason for the refusal of a ceremony.
  init(_ reason: CeremonyRefusal) {
    self =
      switch reason {
      case .wrongCeremony: .otherOperation
      case .challengeMismatch: .unknownChallenge
      case .originMismatch, .crossOrigin: .otherOrigin
      case .relyingPartyIDMismatch: .otherRelyingParty
      case .userNotPresent, .userNotVerified: .userNotVerified
      case .backedUpWithoutEligibility, .unexpectedCredential: .malformedAssertion
      case .algorithmNotOffered: .unacceptableAlgorithm
      case .attestationFormat: .notInPolicy
      case .attestationAlgorithmMismatch, .badAttestationSignature: .invalidAttestationSignature
      case .attestationCertificate: .untrustedAttestation
      case .badSignature: .invalidSignature
      case .credentialMismatch, .userHandleMismatch, .backupEligibilityChanged: .otherPasskey
      case .counterBack: .counterNotIncreased
      }
  }
}
