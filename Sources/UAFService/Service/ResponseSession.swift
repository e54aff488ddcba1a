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

  /// The secret for the machine that has signed with these keys; nil if it has proved to have it.
  ///
  /// A machine that tells its id has the secret of the account's first usable key there, so that whoever gives out an unlock
  /// knows which secret that is. One that tells none has the secret of any of the account's usable keys.
  ///
  /// - Parameter stored: the keys of the account in the order of their registration.
  /// - Throws: ``CryptoError``.
  func machineSecret(ofSigning keyIDs: [KeyID], among stored: [StoredKey]) throws -> MachineSecret? {
    let data = answer.serverData
    let usable = stored.filter { !$0.isRevoked }
    let claim = MachineClaim(operation: data.operation, isAnswer: true, username: data.username)
    let device = usable.first { keyIDs.contains($0.keyID) }?.deviceID
    let first = device.flatMap { Self.firstKey(on: $0, among: usable) }.map { [$0] }
    let proofs = MachineProofs(keys: environment.keys)
    // A machine that has joined is known for no account.
    if let machine, machine.isCurrent, !machine.isJoined, machine.claim == claim,
      try proofs.isNumber(machine.machineID, of: data.username, holding: first ?? usable.map(\.keyID))
    {
      return nil
    }
    return try proofs.secret(of: data.username, holding: first ?? keyIDs)
  }

  /// The secret for a machine that registers keys: that of the account's first usable key there, which may be a new one.
  ///
  /// It is given whatever the machine has proved. With its first key it was not known before.
  ///
  /// - Parameters:
  ///   - device: the machine's id; nil if it tells none.
  ///   - stored: the keys that the account keeps, in the order of their registration.
  /// - Throws: ``CryptoError``.
  func machineSecret(
    ofRegistering keyIDs: [KeyID], on device: String?, keeping stored: [StoredKey]
  ) throws -> MachineSecret? {
    let first = device.flatMap { Self.firstKey(on: $0, among: stored.filter { !$0.isRevoked }) }
    return try MachineProofs(keys: environment.keys).secret(
      of: answer.serverData.username, holding: first.map { [$0] } ?? keyIDs)
  }

  private static func firstKey(on device: String, among usable: [StoredKey]) -> KeyID? {
    usable.first { $0.deviceID == device }?.keyID
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
