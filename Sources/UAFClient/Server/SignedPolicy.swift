import UAFMessages

/// A signed workstation policy: not even the program that speaks to the network can forge it, change it, or bring one of another
/// machine.
public enum SignedPolicy {
  /// Why a policy is not taken.
  public enum Fault: String, Error, CaseIterable, Sendable {
    case tooLong = "is longer than 24 KiB"
    case unsigned = "is not signed with verdict_key"
    case malformed = "does not have the form of a policy, or its text is longer than 16 KiB"
    case otherMachine = "is signed for another machine"
    case otherGroup = "is for another group than the one that this machine has joined"
    case older = "is older than the one that this machine had last"
    case beforeJoin = "was signed before this machine joined"
    case notYetValid = "is not valid yet; compare the clocks of this machine and the server"
    case expired = "has expired; compare the clocks of this machine and the server"
  }

  /// What this machine has joined, and what it had last.
  public struct Expectation: Sendable {
    let deviceID: String
    let group: String
    let lowestVersion: Int64
    let joinedAt: Int64

    /// - Parameters:
    ///   - deviceID: as the machine named itself when it joined.
    ///   - group: the one that it has joined.
    ///   - lowestVersion: the highest version that was taken since then; 0 for none.
    ///   - joinedAt: when it joined, by the server's clock, in seconds since 1970.
    public init(deviceID: String, group: String, lowestVersion: Int64, joinedAt: Int64) {
      self.deviceID = deviceID
      self.group = group
      self.lowestVersion = lowestVersion
      self.joinedAt = joinedAt
    }
  }

  /// Reads a policy that is for this machine, whenever it is good.
  ///
  /// - Parameter publicKeys: 65 bytes `04 | X | Y` each.
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

  /// Reads a policy that has just come: it has to be good now.
  ///
  /// - Parameters:
  ///   - publicKeys: 65 bytes `04 | X | Y` each.
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

  /// Whether a policy's time is over; the clocks may differ by a minute.
  public static func hasExpired(_ policy: WorkstationPolicy, now: Int64) -> Bool {
    policy.expiresAt < now - SignedToken.clockTolerance
  }
}
