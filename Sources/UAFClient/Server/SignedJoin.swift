import UAFCrypto
import UAFMessages

/// A signed statement that a machine has joined.
///
/// Not even the program that speaks to the network can forge it, or keep an old one.
enum SignedJoin {
  /// Whether an answer is signed for this request, and covers the secret that it brings.
  ///
  /// - Parameters:
  ///   - publicKeys: 65 bytes `04 | X | Y` each.
  ///   - now: seconds since 1970.
  /// - Returns: the group, the secret and the server's time in seconds since 1970; nil if anything is missing, of another
  ///   request, or not fresh.
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
