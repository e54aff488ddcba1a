import UAFMessages

/// A signed statement about an account: not even the program that speaks to the network can forge it, or keep an old one.
public enum SignedAccountState {
  /// Why a statement is not believed.
  public enum Fault: String, Error, Sendable {
    case unsigned = "what the server says of the account is not signed with verdict_key"
    case otherQuestion = "what the server says of the account answers another question"
    case stale = "what the server says of the account is too old or from the future; compare the clocks of both"
  }

  /// The state that a token tells.
  ///
  /// - Parameters:
  ///   - proof: what the server was asked with.
  ///   - publicKeys: 65 bytes `04 | X | Y` each.
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
