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

  /// Refuses accounts that the caller's role does not reach: those of the group `privileged`, and administrators'.
  ///
  /// Whoever gives out a code for an administrator's account could become that administrator, and whoever blocks or enables
  /// one decides who administers.
  func check(_ names: [String], by caller: Caller, in records: any StoreTransaction) throws {
    guard !caller.role.reachesPrivileged, !names.isEmpty else { return }
    guard let name = try privileged(among: names, in: records).min() else { return }
    throw AdministrationRefusal.privileged(account: name)
  }

  /// Those of some names that are of the group `privileged`, or administrators.
  func privileged(among names: [String], in records: any StoreTransaction) throws -> Set<String> {
    let administrators = Set(try records.administrators.all().map(\.name))
    let saved = try environment.savedPrivileged.names(in: records)
    return try Set(
      names.filter { name in
        try administrators.contains(name) || saved.contains(name)
          || environment.group(name) == AccountGroup.privileged
      })
  }

  /// Whether an account is one of the group `privileged`, or an administrator's.
  func isPrivileged(_ username: String, in records: any StoreTransaction) throws -> Bool {
    try !privileged(among: [username], in: records).isEmpty
  }
}
