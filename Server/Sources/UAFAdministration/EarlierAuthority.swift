import UAFMessages
import UAFService

/// Revokes what was handed out before an account's privileges changed, in the transaction that changes them.
struct EarlierAuthority {
  let environment: AdministrationEnvironment
  let records: any StoreTransaction
  /// Who gives or takes the privileges, for the audit.
  let caller: Caller

  /// Closes the codes that a lesser role issued for accounts that are now privileged.
  ///
  /// - Parameter names: the accounts that have become privileged, or may have.
  func closeLesserCodes(of names: Set<String>) throws {
    guard !names.isEmpty else { return }
    for name in try records.issuedCodes.accountsWithLesserCodes() where names.contains(name) { try closeCode(of: name) }
  }

  /// Ends an account's own sessions, and everything that it has handed out: tokens, what was made with those, and codes.
  ///
  /// For an account whose role is given, changed or taken.
  func endAuthority(of name: String) throws {
    try records.consoleSessions.removeAll(of: name)
    try endWhatWasMade(by: .administrator(name))
  }

  /// Closes the codes that an actor has issued, revokes the tokens that it has made, and does the same for those tokens.
  func endWhatWasMade(by actor: AuditActor) throws {
    for name in try records.issuedCodes.accounts(withCodesBy: actor.text) { try closeCode(of: name) }
    let made = try records.accessTokens.all().filter { $0.createdBy == actor.text && $0.revokedAt == nil }
    for token in made { _ = try revoke(token.name) }
  }

  /// Revokes a token, and ends what was made with it.
  ///
  /// - Returns: false if there is no such token, or it was revoked before.
  func revoke(_ token: String) throws -> Bool {
    guard try records.accessTokens.revoke(token, now: environment.now()) else { return false }
    let detail = JSONValue.object(["token": .string(token)]).text
    try records.audit.append([environment.event(.tokenRevocation, by: caller, detail: detail)])
    try endWhatWasMade(by: .token(token))
    return true
  }

  /// Closes the open code of an account.
  func closeCode(of name: String) throws {
    try records.enrolments.close(for: name)
    try records.audit.append([environment.event(.enrolmentClosure, by: caller, account: name)])
  }
}

/// Before a server applies a policy, closes codes for privileged accounts that a lesser role issued.
///
/// The policy may come from a file, and the store from a backup or from an earlier version.
package enum PrivilegedStart {
  /// Closes such codes of administrators, and of a policy's group `privileged`, in one transaction.
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
