/// The accounts whose people administer the server.
package protocol Administrators {
  /// Adds an administrator, or gives one another role.
  func set(_ administrator: StoredAdministrator) throws

  func administrator(_ name: String) throws -> StoredAdministrator?

  /// All administrators in the order of their names.
  func all() throws -> [StoredAdministrator]

  /// - Returns: false if there is none of the name.
  func remove(_ name: String) throws -> Bool
}
