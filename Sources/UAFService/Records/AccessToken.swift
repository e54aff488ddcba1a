/// A token with which a program uses the API; the token itself is kept nowhere.
package struct AccessToken: Equatable, Sendable {
  package let name: String
  package let role: String
  /// As the audit names them.
  package let createdBy: String
  /// Seconds since 1970, and so are the others.
  package let createdAt: Int64
  package let expiresAt: Int64
  /// The ranges of addresses from which it is accepted; none for all.
  package let addresses: [String]
  /// To a minute.
  package var lastUsedAt: Int64?
  package var revokedAt: Int64?

  package init(
    name: String, role: String, createdBy: String, createdAt: Int64, expiresAt: Int64, addresses: [String],
    lastUsedAt: Int64? = nil, revokedAt: Int64? = nil
  ) {
    self.name = name
    self.role = role
    self.createdBy = createdBy
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.addresses = addresses
    self.lastUsedAt = lastUsedAt
    self.revokedAt = revokedAt
  }
}
