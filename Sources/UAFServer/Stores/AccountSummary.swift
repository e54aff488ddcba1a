/// What `uaf-server users` says of an account.
struct AccountSummary: Equatable, Sendable {
  let username: String
  let keys: Int
  let revokedKeys: Int
  /// Seconds since 1970.
  let lastUsedAt: Int64?
  let hasOpenCode: Bool
}
