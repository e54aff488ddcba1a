import UAFMessages

/// A signed unlock, which the helpdesk gives to a person; nothing of it comes through the program that speaks to the network.
public enum SignedUnlock {
  /// What a token grants.
  ///
  /// Whether it is for this account and machine, and its times, are not looked at here.
  ///
  /// - Parameter publicKeys: 65 bytes `04 | X | Y` each.
  /// - Returns: nil for anything that is not signed with one of the keys, or is no unlock.
  public static func statement(_ token: [UInt8], publicKeys: [[UInt8]]) -> UnlockStatement? {
    guard token.count <= UnlockStatement.maximumBytes, let text = String(validating: token, as: UTF8.self),
      let claims = SignedToken.claims(of: text, type: UnlockStatement.tokenType, publicKeys: publicKeys)
    else { return nil }
    return UnlockStatement(claims: claims)
  }
}
