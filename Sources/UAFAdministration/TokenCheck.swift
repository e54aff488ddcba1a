import UAFService

/// Finds out who asks by a token.
package struct TokenCheck: Sendable {
  /// How often it is noted that a token was used, in seconds.
  private static let useInterval: Int64 = 60

  private let store: any ServerStore
  private let now: @Sendable () -> Int64

  package init(_ environment: AdministrationEnvironment) {
    store = environment.store
    now = environment.now
  }

  /// Who asks; nil if the token is not known, has ended, was revoked, or may not be used from where they ask.
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
    let now = now()
    guard let token = try await store.read({ try $0.accessTokens.token(hash: hash) }),
      token.revokedAt == nil, token.expiresAt > now, let role = Role(rawValue: token.role),
      token.addresses.isEmpty || isWithin(token.addresses)
    else { return nil }
    if token.lastUsedAt.map({ now - $0 >= Self.useInterval }) ?? true {
      try await store.write { try $0.accessTokens.markUsed(token.name, now: now) }
    }
    return Caller(actor: .token(token.name), role: role, address: address)
  }
}
