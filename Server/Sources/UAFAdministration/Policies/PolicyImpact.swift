import UAFMessages
import UAFService

/// Finds out which accounts a change of the policies would affect.
struct PolicyImpact {
  /// How many accounts are read in one transaction.
  private static let chunk = 1000
  private let environment: AdministrationEnvironment

  init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Compares two policies.
  ///
  /// - Parameter present: the policies in force; nil if this server cannot use them.
  /// - Throws: ``StoreFailure``.
  func preview(from present: AccountPolicies?, to draft: AccountPolicies, publicURL: String?) async throws
    -> PolicyPreview
  {
    try await counted(PolicyComparison(present: present, draft: draft, publicURL: publicURL), publicURL: publicURL)
  }

  /// Counts every account with a key that can be used at the server.
  ///
  /// - Parameter publicURL: the server's base URL; without it, no key can be used.
  /// - Throws: ``StoreFailure``.
  func counted(_ begun: PolicyComparison, publicURL: String?) async throws -> PolicyPreview {
    var comparison = begun
    guard let url = publicURL else { return comparison.preview }
    let appID = ServerIdentity.appID(of: url)
    try await each { [chunk = Self.chunk] records, after in
      let accounts = try records.credentials.usableModels(after: after, appID: appID, limit: chunk)
      let kinds = try records.passkeys.kinds(of: accounts.map(\.username))
      return accounts.map { ($0, kinds[$0.username] ?? []) }
    } count: {
      comparison.add($0, $1)
    }
    try await each { [chunk = Self.chunk] records, after in
      let kinds = try records.passkeys.kindsWithoutKeys(after: after, appID: appID, limit: chunk)
      return kinds.map { (AccountModels(username: $0.key, machines: []), $0.value) }
        .sorted { $0.0.username.utf8.lexicographicallyPrecedes($1.0.username.utf8) }
    } count: {
      comparison.add($0, $1)
    }
    return comparison.preview
  }

  /// Reads accounts in pages, and counts each.
  ///
  /// - Parameter page: the accounts after a name, in the order of the names' bytes.
  private func each(
    page: @escaping @Sendable (any StoreTransaction, String) throws -> [(AccountModels, Set<PasskeyKind>)],
    count: (AccountModels, Set<PasskeyKind>) -> Void
  ) async throws {
    var after = ""
    while true {
      let accounts = try await environment.read { [after] records in try page(records, after) }
      for (account, passkeys) in accounts { count(account, passkeys) }
      // Some stores answer without suspending this task, so other tasks of the thread would otherwise wait until the preview
      // ends.
      await Task.yield()
      try Task.checkCancellation()
      guard let last = accounts.last, accounts.count == Self.chunk else { return }
      after = last.0.username
    }
  }
}
