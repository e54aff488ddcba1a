import UAFService

/// Which accounts a caller reaches.
struct AccountReach {
  private let environment: AdministrationEnvironment

  init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Refuses a name that no account can have.
  static func check(_ username: String) throws(AdministrationRefusal) {
    guard Username.isValid(username) else {
      throw .invalid(field: "account", reason: "must be 1 to 128 printable ASCII characters without white space")
    }
  }

  /// Refuses an account that the caller's role does not reach: one of the group `privileged`, or an administrator's.
  ///
  /// Whoever gives out a code for an administrator's account could become that administrator.
  func check(_ username: String, by caller: Caller, in records: any StoreTransaction) throws {
    guard !caller.role.reachesPrivileged else { return }
    if try isPrivileged(username, in: records) { throw AdministrationRefusal.privileged(account: username) }
  }

  /// Those of some names that are of the group `privileged`, or administrators.
  func privileged(among names: [String], in records: any StoreTransaction) throws -> Set<String> {
    let administrators = Set(try records.administrators.all().map(\.name))
    return try Set(
      names.filter { try administrators.contains($0) || environment.group($0) == AccountGroup.privileged })
  }

  /// Whether an account is one of the group `privileged`, or an administrator's.
  func isPrivileged(_ username: String, in records: any StoreTransaction) throws -> Bool {
    if try environment.group(username) == AccountGroup.privileged { return true }
    return try records.administrators.administrator(username) != nil
  }
}
