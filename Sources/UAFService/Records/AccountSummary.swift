/// One account, for `uaf-server users`.
package struct AccountSummary: Equatable, Sendable {
  package let username: String
  package let keys: Int
  package let revokedKeys: Int
  /// Seconds since 1970.
  package let lastUsedAt: Int64?
  package let hasOpenCode: Bool
  /// How it is disabled or locked, also by a lock that is over.
  package let block: AccountBlock?

  package init(
    username: String, keys: Int, revokedKeys: Int, lastUsedAt: Int64?, hasOpenCode: Bool, block: AccountBlock? = nil
  ) {
    self.username = username
    self.keys = keys
    self.revokedKeys = revokedKeys
    self.lastUsedAt = lastUsedAt
    self.hasOpenCode = hasOpenCode
    self.block = block
  }
}
