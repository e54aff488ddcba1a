import UAFMessages

/// Says in which state an account is, to a machine that has proved that it is known for it.
package struct AccountStateService: Sendable {
  private let environment: ServiceEnvironment

  package init(environment: ServiceEnvironment) { self.environment = environment }

  /// A signed statement about the account of a proof, for that proof alone.
  ///
  /// The proof needs nothing of the store, so a machine may ask whose key is gone. It hears the truth only if its key can be
  /// used, or was deregistered by the account's person. Otherwise the account counts as disabled: it was removed, perhaps made
  /// again under the same name for somebody else, or the key was revoked.
  ///
  /// - Throws: ``StoreFailure``; ``CryptoError``.
  package func statement(for machine: KnownMachine) async throws -> String {
    let account = machine.claim.username
    let now = environment.now()
    let (told, keyIDs) = try await environment.store.read { records -> (AccountState, [KeyID]) in
      let usable = try records.credentials.records(of: account).filter { $0.revocation == nil }.map(\.keyID)
      let keyIDs = try usable + records.credentials.deregisteredKeyIDs(of: account)
      guard let block = try records.accounts.block(of: account), block.refusal(at: now) != nil else {
        return (.active, keyIDs)
      }
      return (block.until.map { .locked(until: $0) } ?? .disabled, keyIDs)
    }
    let isOfKey = try MachineProofs(keys: environment.keys).isNumber(machine.machineID, of: account, holding: keyIDs)
    let state = isOfKey ? told : .disabled
    let statement = AccountStatement(
      account: account, state: state, machineID: machine.machineID, nonce: machine.nonce, issuedAt: now)
    return try environment.keys.statement(statement.json, .accountState)
  }
}
