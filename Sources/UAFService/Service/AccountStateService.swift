import UAFMessages

/// Says in which state an account is, to a machine that has proved that it is known for it.
package struct AccountStateService: Sendable {
  private let environment: ServiceEnvironment

  package init(environment: ServiceEnvironment) { self.environment = environment }

  /// A signed statement about the account of a proof, for that proof alone.
  ///
  /// The proof needs nothing of the store, so an account that was removed may be asked for. It counts as disabled: whoever was
  /// removed gets in no more than whoever was disabled.
  ///
  /// - Throws: ``StoreFailure``; ``CryptoError``.
  package func statement(for machine: KnownMachine) async throws -> String {
    let account = machine.claim.username
    let now = environment.now()
    let state = try await environment.store.read { records -> AccountState in
      guard try records.accounts.exists(account) else { return .disabled }
      guard let block = try records.accounts.block(of: account), block.refusal(at: now) != nil else { return .active }
      return block.until.map { .locked(until: $0) } ?? .disabled
    }
    let statement = AccountStatement(
      account: account, state: state, machineID: machine.machineID, nonce: machine.nonce, issuedAt: now)
    return try environment.keys.statement(statement.json, .accountState)
  }
}
