import UAFMessages

/// A signed answer to a machine that has told how it is.
///
/// Not even the program that speaks to the network can forge it, or keep an old one.
enum SignedCheckIn {
  /// What an answer says, if it is signed for this proof.
  ///
  /// - Parameters:
  ///   - deviceID: what the machine is called at the server.
  ///   - publicKeys: 65 bytes `04 | X | Y` each.
  ///   - now: seconds since 1970.
  /// - Returns: nil if anything is missing, of another request, or not fresh.
  static func check(
    _ answer: CheckInAnswer, to proof: MachineProof, deviceID: String, publicKeys: [[UInt8]], now: Int64
  ) -> CheckInStatement? {
    guard let token = answer.token,
      let claims = SignedToken.claims(of: token, type: CheckInStatement.tokenType, publicKeys: publicKeys),
      let statement = CheckInStatement(claims: claims), statement.deviceID.isIdentical(to: deviceID),
      statement.machineID == proof.machineID, statement.nonce == proof.nonce, SignedToken.isFresh(claims, now: now)
    else { return nil }
    return statement
  }
}
