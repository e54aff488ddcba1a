import UAFMessages
import UAFService

/// Revokes tokens, codes and sessions from before a change of an account's privileges, in the same transaction as the change.
struct EarlierAuthority {
  let environment: AdministrationEnvironment
  let records: any StoreTransaction
  /// Who changes the privileges, for the audit.
  let caller: Caller

  /// Closes enrolment codes for accounts that are now privileged if somebody issued them who must not issue codes for such
  /// accounts.
  ///
  /// - Parameter names: the accounts that have become privileged, or may have.
  func closeLesserCodes(of names: Set<String>) throws {
    guard !names.isEmpty else { return }
    for name in try records.issuedCodes.accountsWithLesserCodes() where names.contains(name) { try closeCode(of: name) }
  }

  /// Ends an account's sessions, and everything that the account has issued: codes and tokens, and what was issued with those
  /// tokens.
  ///
  /// It is called when an account gets or loses a role, or gets a different one.
  func endAuthority(of name: String) throws {
    try records.consoleSessions.removeAll(of: name)
    try endWhatWasMade(by: .administrator(name))
  }

  /// Closes the codes and revokes the tokens that an actor has made, and does the same for everything that was made with those
  /// tokens.
  func endWhatWasMade(by actor: AuditActor) throws {
    for name in try records.issuedCodes.accounts(withCodesBy: actor.text) { try closeCode(of: name) }
    let made = try records.accessTokens.all().filter { $0.createdBy == actor.text && $0.revokedAt == nil }
    for token in made { _ = try revoke(token.name) }
  }

  /// Revokes a token, and everything that was made with it.
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

/// When a server starts to apply a policy, closes codes for privileged accounts from callers who must not issue such codes.
///
/// Saving a policy closes such codes. But a policy may also come from a file, and a store from a backup or from an earlier
/// version.
package enum PrivilegedStart {
  /// Closes such codes for administrators, and for the accounts in a policy's group `privileged`, in one transaction.
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
