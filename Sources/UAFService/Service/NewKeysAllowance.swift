import UAFCrypto
import UAFMessages

/// What allows the new keys of an answer: a code or a registered key, and the machine that they were made on.
///
/// Nothing that was held on the way allows a key. Whoever allows it has authenticated or signed just these keys, for this
/// account, in answer to this request.
struct NewKeysAllowance {
  let session: ResponseSession
  let response: RegistrationResponse
  let issued: IssuedRequest
  /// What the keys of the answer are authorised by.
  let statement: NewKeysStatement

  private var environment: ServiceEnvironment { session.environment }
  private var context: RequestContext? { session.answer.context }

  /// - Throws: ``ServiceRefusal`` for an assertion that cannot be read; ``MessageError``.
  init(_ session: ResponseSession, _ response: RegistrationResponse, _ issued: IssuedRequest) throws {
    self.session = session
    self.response = response
    self.issued = issued
    let keys = try response.assertions.map { envelope in
      guard let assertion = try? UnverifiedRegistrationAssertion(parsing: envelope.assertion) else {
        throw ServiceRefusal.malformedAssertion
      }
      return NewKeysStatement.Key(
        aaid: assertion.aaid, keyID: assertion.keyID, publicKey: assertion.publicKey)
    }
    let challenge = try Base64URL.decode(session.answer.parameters.challenge, maximumCount: 64)
    statement = NewKeysStatement(
      username: issued.username, appID: issued.appID, challenge: try ServerChallenge(bytes: challenge), keys: keys)
  }

  /// Whether somebody with the enrolment code allows the keys.
  ///
  /// - Throws: ``CryptoError``; ``SecretMemoryError``.
  func isAllowed(by code: OpenEnrolment?) throws -> Bool {
    guard let code, let sent = context?.codeMAC else { return false }
    return try EnrolmentSeal(keys: environment.keys)
      .isValid(sent, of: EnrolmentCode.keysStatement(statement), by: code.sealedKey, for: issued.username)
  }

  /// The signatures with which registered keys allow the new ones.
  ///
  /// They have to be those that a login would need.
  ///
  /// - Parameter stored: every key of the account.
  /// - Throws: ``CryptoError``; ``MessageError``.
  func signatures(by stored: [StoredKey]) throws -> VerificationResult<VerifiedAuthentication> {
    guard let text = context?.authorization, case .authentication(let signed)? = try? UAFResponse(parsing: text) else {
      return .refused(.keysNotAllowed)
    }
    let challenge = try statement.authorization(hash: SHA256.hash)
    let asked = try AskedKeys(environment: environment, username: issued.username, stored: stored)
    let request = IssuedRequest(
      operation: .authentication, username: issued.username, challengeHash: try SHA256.hash(challenge.bytes),
      appID: issued.appID, serverData: issued.serverData, policy: Policy(accepted: asked.accepted), transaction: nil,
      device: Device(), expiresAt: issued.expiresAt)
    var verifier = session.verifier
    verifier.checksChannelBinding = false
    return verifier.verify(signed, issued: request, keys: stored)
  }

  /// Whether the machine has proved that the keys were made on it; nil if it had to, and has not.
  ///
  /// The id of a machine that has not joined is a name that the client gives it. One that has joined proves itself.
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
