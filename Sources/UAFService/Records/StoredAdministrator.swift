/// An account whose person may sign in to administer the server.
package struct StoredAdministrator: Equatable, Sendable {
  package let name: String
  package let role: String
  /// As the audit names them.
  package let addedBy: String
  /// Seconds since 1970.
  package let addedAt: Int64

  package init(name: String, role: String, addedBy: String, addedAt: Int64) {
    self.name = name
    self.role = role
    self.addedBy = addedBy
    self.addedAt = addedAt
  }
}
