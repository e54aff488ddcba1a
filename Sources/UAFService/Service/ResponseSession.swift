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
  /// - Throws: ``CryptoError``.
  func machineSecret(for keyIDs: [KeyID]) throws -> MachineSecret? {
    let data = answer.serverData
    let claim = MachineClaim(operation: data.operation, isAnswer: true, username: data.username)
    // A registration has a key by which the machine was not known before, and one that has joined is known for no account.
    if data.operation == .authentication, let machine, machine.isCurrent, !machine.isJoined, machine.claim == claim {
      return nil
    }
    return try MachineProofs(keys: environment.keys).secret(of: data.username, holding: keyIDs)
  }

  /// The token that says what was accepted, and covers the secret that the machine is given.
  ///
  /// It must not leave the server before what it says is stored.
  func token(with secret: MachineSecret?) throws -> Token {
    let data = answer.serverData
    let machineHash = try secret.map { Base64URL.encode(try SHA256.hash($0.bytes)) }
    let claims = VerdictClaims(
      issuer: identity.appID, subject: data.username, operation: data.operation,
      proofOperations: data.proofOperations, challengeHash: Base64URL.encode(answer.challengeHash), issuedAt: now,
      expiresAt: now + VerdictToken.lifetime, tokenID: Base64URL.encode(try environment.random(16)),
      machineHash: machineHash)
    return Token(type: Token.jwt, value: try VerdictToken(keys: environment.keys).sign(claims))
  }
}
