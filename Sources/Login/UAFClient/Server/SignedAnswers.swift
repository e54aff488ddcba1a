import UAFCrypto
import UAFMessages

/// A signed statement about an account: not even the network program can forge it, or replay an old one.
public enum SignedAccountState {
  /// Why a statement is not accepted.
  public enum Fault: String, Error, Sendable {
    case unsigned = "the server's statement about the account is not signed with verdict_key"
    case otherQuestion = "the server's statement about the account is for a different request"
    case stale = "the server's statement about the account is too old or from the future; compare the clocks of both"
  }

  /// Checks a token, and returns the account state in it.
  ///
  /// - Parameters:
  ///   - proof: the proof that was sent with the request.
  ///   - publicKeys: the verdict keys, 65 bytes `04 | X | Y` each.
  ///   - now: seconds since 1970.
  /// - Throws: ``Fault``.
  public static func check(
    _ token: [UInt8], answering proof: MachineProof, publicKeys: [[UInt8]], now: Int64
  ) throws(Fault) -> AccountState {
    guard token.count <= AccountStatement.maximumBytes, let text = String(validating: token, as: UTF8.self),
      let claims = SignedToken.claims(of: text, type: AccountStatement.tokenType, publicKeys: publicKeys)
    else { throw .unsigned }
    guard let statement = AccountStatement(claims: claims), statement.account.isIdentical(to: proof.claim.username),
      statement.machineID == proof.machineID, statement.nonce == proof.nonce
    else { throw .otherQuestion }
    guard SignedToken.isFresh(claims, now: now) else { throw .stale }
    return statement.state
  }
}

/// A signed answer to a machine's check-in.
///
/// Not even the network program can forge it, or replay an old one.
enum SignedCheckIn {
  /// Checks that the server signed an answer for this proof, and returns the signed content.
  ///
  /// - Parameters:
  ///   - deviceID: the machine's ID at the server.
  ///   - publicKeys: the verdict keys, 65 bytes `04 | X | Y` each.
  ///   - now: seconds since 1970.
  /// - Returns: nil if anything is missing, belongs to a different request, or is not fresh.
  static func check(
    _ answer: CheckInAnswer, to proof: MachineProof, deviceID: String, publicKeys: [[UInt8]], now: Int64
  ) -> CheckInStatement? {
    guard let token = answer.token,
      let claims = SignedToken.claims(of: token, type: CheckInStatement.tokenType, publicKeys: publicKeys),
      let statement = CheckInStatement(claims: claims), statement.claims.answer(proof, of: deviceID),
      SignedToken.isFresh(claims, now: now)
    else { return nil }
    return statement
  }

  /// Whether the server signed that it does not know the machine that made this proof.
  ///
  /// - Parameters:
  ///   - proof: the proof as it was sent.
  ///   - publicKeys: the verdict keys, 65 bytes `04 | X | Y` each.
  ///   - now: seconds since 1970.
  static func isUnknown(_ answer: CheckInAnswer, to proof: String, publicKeys: [[UInt8]], now: Int64) -> Bool {
    guard let token = answer.token, let hash = try? SHA256.hash(Array(proof.utf8)),
      let claims = SignedToken.claims(of: token, type: UnknownMachineStatement.tokenType, publicKeys: publicKeys),
      let statement = UnknownMachineStatement(claims: claims)
    else { return false }
    return statement.proofHash == hash && SignedToken.isFresh(claims, now: now)
  }
}

/// A signed statement that a machine has joined.
///
/// Not even the network program can forge it, or replay an old one.
enum SignedJoin {
  /// Checks that the server signed an answer for this request, and that the signature covers the machine secret in it.
  ///
  /// - Parameters:
  ///   - publicKeys: the verdict keys, 65 bytes `04 | X | Y` each.
  ///   - now: seconds since 1970.
  /// - Returns: the group, the secret and the server's time in seconds since 1970; nil if anything is missing, belongs to a
  ///   different request, or is not fresh.
  static func check(
    _ answer: JoinAnswer, to request: JoinRequest, publicKeys: [[UInt8]], now: Int64
  ) -> (group: MachineGroup, secret: MachineSecret, joinedAt: Int64)? {
    guard let token = answer.token, let secret = answer.machineSecret,
      let claims = SignedToken.claims(of: token, type: JoinStatement.tokenType, publicKeys: publicKeys),
      let statement = JoinStatement(claims: claims), statement.deviceID.isIdentical(to: request.deviceID),
      statement.nonce == request.nonce, let hash = try? SHA256.hash(secret.bytes), statement.secretHash == hash,
      SignedToken.isFresh(claims, now: now)
    else { return nil }
    return (statement.group, secret, statement.issuedAt)
  }
}

/// A signed workstation policy: not even the network program can forge it, change it, or substitute the policy of a different
/// machine.
public enum SignedPolicy {
  /// Why a policy is not accepted.
  public enum Fault: String, Error, CaseIterable, Sendable {
    case tooLong = "is longer than 24 KiB"
    case unsigned = "is not signed with verdict_key"
    case malformed = "does not have the form of a policy, or its text is longer than 16 KiB"
    case otherMachine = "is signed for a different machine"
    case otherGroup = "is for a different group from the one that this machine has joined"
    case older = "is older than the last policy that this machine accepted"
    case beforeJoin = "was signed before this machine joined"
    case notYetValid = "is not valid yet; compare the clocks of this machine and the server"
    case expired = "has expired; compare the clocks of this machine and the server"
  }

  /// The group that this machine joined, and the latest policy version that it has accepted.
  public struct Expectation: Sendable {
    let deviceID: String
    let group: String
    let lowestVersion: Int64
    let joinedAt: Int64

    /// - Parameters:
    ///   - deviceID: the device ID that the machine sent when it joined.
    ///   - group: the group that it joined.
    ///   - lowestVersion: the highest version that it has accepted since then; 0 if none.
    ///   - joinedAt: when it joined, by the server's clock, in seconds since 1970.
    public init(deviceID: String, group: String, lowestVersion: Int64, joinedAt: Int64) {
      self.deviceID = deviceID
      self.group = group
      self.lowestVersion = lowestVersion
      self.joinedAt = joinedAt
    }
  }

  /// Reads a policy and checks that it is for this machine; it may have expired.
  ///
  /// - Parameter publicKeys: the verdict keys, 65 bytes `04 | X | Y` each.
  /// - Throws: ``Fault``.
  public static func read(
    _ token: [UInt8], for expected: Expectation, publicKeys: [[UInt8]]
  ) throws(Fault) -> WorkstationPolicy {
    guard token.count <= WorkstationPolicy.maximumTokenBytes else { throw .tooLong }
    guard let text = String(validating: token, as: UTF8.self),
      let claims = SignedToken.claims(
        of: text, type: WorkstationPolicy.tokenType, publicKeys: publicKeys,
        maximumBytes: WorkstationPolicy.maximumTokenBytes)
    else { throw .unsigned }
    guard let policy = WorkstationPolicy(claims: claims) else { throw .malformed }
    guard policy.deviceID.isIdentical(to: expected.deviceID) else { throw .otherMachine }
    guard policy.group.name.isIdentical(to: expected.group) else { throw .otherGroup }
    guard policy.version >= expected.lowestVersion else { throw .older }
    guard policy.issuedAt >= expected.joinedAt else { throw .beforeJoin }
    return policy
  }

  /// Reads a policy that has just arrived, which must be valid now.
  ///
  /// - Parameters:
  ///   - publicKeys: the verdict keys, 65 bytes `04 | X | Y` each.
  ///   - now: seconds since 1970.
  /// - Throws: ``Fault``.
  public static func receive(
    _ token: [UInt8], for expected: Expectation, publicKeys: [[UInt8]], now: Int64
  ) throws(Fault) -> WorkstationPolicy {
    let policy = try read(token, for: expected, publicKeys: publicKeys)
    guard policy.notBefore - SignedToken.clockTolerance <= now else { throw .notYetValid }
    guard !hasExpired(policy, now: now) else { throw .expired }
    return policy
  }

  /// Whether a policy has expired; a difference of the clocks of up to a minute is tolerated.
  public static func hasExpired(_ policy: WorkstationPolicy, now: Int64) -> Bool {
    policy.expiresAt < now - SignedToken.clockTolerance
  }
}

/// A signed unlock, which the helpdesk gives to a person; it does not come through the network program.
public enum SignedUnlock {
  /// The unlock that a token grants.
  ///
  /// The caller must check that it is for this account and machine, and that it is valid now.
  ///
  /// - Parameter publicKeys: the verdict keys, 65 bytes `04 | X | Y` each.
  /// - Returns: nil if the token is not signed with one of the keys, or is not an unlock.
  public static func statement(_ token: [UInt8], publicKeys: [[UInt8]]) -> UnlockStatement? {
    guard token.count <= UnlockStatement.maximumBytes, let text = String(validating: token, as: UTF8.self),
      let claims = SignedToken.claims(of: text, type: UnlockStatement.tokenType, publicKeys: publicKeys)
    else { return nil }
    return UnlockStatement(claims: claims)
  }
}
