import UAFService

extension Accounts {
  /// All accounts of a store that has few.
  func summaries(now: Int64) throws -> [AccountSummary] { try page(AccountQuery(limit: 10_000), now: now) }
}

extension Credentials {
  /// Revokes every key of an account.
  func revokeAll(of username: String, now: Int64) throws -> Int {
    try revoke(.all(of: username), Revocation(time: now, by: "test"))
  }
}
