@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

extension TestServer {
  /// A caller with a token that was made at the server.
  func token(
    _ name: String, _ role: Role, by maker: String = "command-line uid 0", address: String = "192.0.2.7"
  ) async throws -> Caller {
    let token = AccessToken(
      name: name, role: role.rawValue, createdBy: maker, createdAt: now, expiresAt: now + role.longestToken,
      addresses: [])
    let isNew = try await store.write { try $0.accessTokens.add(token, hash: Array("\(name) of a test".utf8)) }
    guard isNew else { throw Unexpected() }
    return Caller(actor: .token(name), role: role, address: address)
  }

  /// A caller who has signed in to the console, with an account and a role.
  func signedIn(_ name: String, _ role: Role) async throws -> Caller {
    let hash = Array("session of \(name)".utf8)
    try await store.write { [now] records in
      try records.accounts.add(name, now: now)
      try records.administrators.set(
        StoredAdministrator(name: name, role: role.rawValue, addedBy: "test", addedAt: now))
      let session = ConsoleSession(
        tokenHash: hash, username: name, role: role.rawValue, startedAt: now, lastUsedAt: now)
      try records.consoleSessions.add(session, now: now)
    }
    return Caller(actor: .administrator(name), role: role, address: "", session: hash)
  }
}
