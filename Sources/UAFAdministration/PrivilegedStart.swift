import UAFService

/// Before a server applies a policy, closes codes for privileged accounts that were issued under a lesser role.
///
/// The policy may come from a file, and the store from a backup or from an earlier version.
package enum PrivilegedStart {
  /// Closes such codes of administrators, and of the group `privileged` of a policy, in one transaction.
  ///
  /// - Parameters:
  ///   - policies: the policies that the server applies.
  ///   - host: the name of this machine.
  ///   - now: seconds since 1970.
  /// - Throws: ``StoreFailure``.
  package static func closeLesserCodes(
    in store: any ServerStore, by policies: AccountPolicies, host: String, now: @escaping @Sendable () -> Int64
  ) async throws {
    let members = policies.members(of: AccountGroup.privileged) ?? []
    try await store.write { records in
      let privileged = members.union(try records.administrators.all().map(\.name))
      let lesser = try records.issuedCodes.accountsWithLesserCodes().filter { privileged.contains($0) }
      for name in lesser { try records.enrolments.close(for: name) }
      try records.audit.append(
        lesser.map {
          AuditEntry(time: now(), kind: .enrolmentClosure, account: $0, actor: .server, machine: host)
        })
    }
  }
}
