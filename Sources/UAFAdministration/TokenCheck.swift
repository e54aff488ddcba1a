import UAFService

/// Finds out who asks by a token.
package struct TokenCheck: Sendable {
  /// How often it is noted that a token was used, in seconds.
  private static let useInterval: Int64 = 60

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Who asks; nil if the token is not good, as ``CallerStanding`` has it, or may not be used from where they ask.
  ///
  /// - Parameters:
  ///   - text: the token.
  ///   - address: where they are, for the audit.
  ///   - isWithin: whether they are in one of these ranges of addresses.
  /// - Throws: ``StoreFailure``.
  package func caller(
    of text: String, address: String, isWithin: ([String]) -> Bool
  ) async throws -> Caller? {
    guard TokenText.isValid(text) else { return nil }
    // It is found by its hash: how long the search takes shows nothing of the token.
    let hash = try TokenText.hash(text)
    let now = environment.now()
    let found = try await environment.read { records in
      try records.accessTokens.token(hash: hash).flatMap { token in
        try CallerStanding(records: records, now: now).isGood(token) ? token : nil
      }
    }
    guard let token = found, let role = Role(rawValue: token.role),
      token.addresses.isEmpty || isWithin(token.addresses)
    else { return nil }
    if token.lastUsedAt.map({ now - $0 >= Self.useInterval }) ?? true {
      try await environment.note { try $0.accessTokens.markUsed(token.name, now: now) }
    }
    return Caller(actor: .token(token.name), role: role, address: address)
  }
}
