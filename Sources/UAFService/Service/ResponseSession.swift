import UAFCrypto
import UAFMessages

/// What every `/uaf/respond` needs, whichever operation it ends.
struct ResponseSession: Sendable {
  let environment: ServiceEnvironment
  let identity: ServerIdentity
  let answer: ResponseService.Answer
  /// Seconds since 1970.
  let now: Int64
  /// The machine that has proved itself with the answer; nil for an unknown one.
  var machine: KnownMachine?
  /// Where the answer came from; empty if that is not known.
  var address = ""

  var username: String { answer.serverData.username }

  var verifier: Verifier {
    Verifier(
      identity: identity, models: environment.models, now: now, verificationMethods: environment.verificationMethods)
  }

  func refused(_ refusal: ServiceRefusal, seen: SeenCounter? = nil) -> ResponseOutcome {
    .refused(refusal, username: username, seen: seen)
  }

  /// The secret for the machine that has these keys; nil if it has proved to have it.
  ///
  /// - Parameter usable: the keys of the account; a machine with the secret of another one gets a new secret.
  /// - Throws: ``CryptoError``.
  func machineSecret(for keyIDs: [KeyID], among usable: [KeyID]) throws -> MachineSecret? {
    let data = answer.serverData
    let claim = MachineClaim(operation: data.operation, isAnswer: true, username: data.username)
    // A registration has a key by which the machine was not known before, and one that has joined is known for no account.
    let proofs = MachineProofs(keys: environment.keys)
    if data.operation == .authentication, let machine, machine.isCurrent, !machine.isJoined, machine.claim == claim,
      try proofs.isNumber(machine.machineID, of: data.username, holding: usable)
    {
      return nil
    }
    return try proofs.secret(of: data.username, holding: keyIDs)
  }

  /// The token that says what was accepted, and covers the secret that the machine is given.
  ///
  /// It must not leave the server before what it says is stored.
  ///
  /// - Parameters:
  ///   - keyIDs: the keys that have signed, or are registered.
  ///   - text: what was confirmed.
  ///   - deviceID: the machine whose keys are registered.
  func token(
    for keyIDs: [KeyID], confirming text: TransactionText? = nil, on deviceID: String? = nil,
    with secret: MachineSecret?
  ) throws -> Token {
    let data = answer.serverData
    var claims = VerdictClaims(
      issuer: identity.appID, subject: data.username, operation: data.operation, purpose: data.purpose,
      challengeHash: Base64URL.encode(answer.challengeHash), issuedAt: now, expiresAt: now + VerdictToken.lifetime,
      tokenID: Base64URL.encode(try environment.random(16)))
    claims.use = data.use
    claims.proofSubject = data.proofSubject.isEmpty ? nil : Base64URL.encode(data.proofSubject)
    claims.keyIDs = keyIDs.map(\.text)
    claims.textHash = try text.map { Base64URL.encode(try SHA256.hash(Array($0.shown.utf8))) }
    claims.deviceID = deviceID
    claims.machineHash = try secret.map { Base64URL.encode(try SHA256.hash($0.bytes)) }
    return Token(type: Token.jwt, value: try VerdictToken(keys: environment.keys).sign(claims))
  }
}
