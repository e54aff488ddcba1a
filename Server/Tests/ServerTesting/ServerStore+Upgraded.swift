import Testing

@testable import UAFService

extension AuditEntry {
  /// Audit rows of a store from before accounts could be blocked.
  static let beforeBlocks = [
    AuditEntry(time: 1, kind: .registration, account: "alice", actor: .person),
    AuditEntry(time: 2, kind: .login, account: "alice", actor: .person, machine: "desk"),
    AuditEntry(time: 3, kind: .login, outcome: "wrongSignature", account: "alice", actor: .person),
  ]
}

extension ServerStore {
  /// Checks a store that had the account `alice` with one key and ``AuditEntry/beforeBlocks`` when it was upgraded.
  ///
  /// - Parameter audit: the audit's rows before the upgrade.
  func checkUpgraded(audit: [AuditRow]) async throws {
    #expect(audit.map(\.number) == [1, 2, 3])
    #expect(try await read { try $0.audit.rows(AuditFilter(), limit: 9) } == audit)
    #expect(try await read { try $0.audit.rows(AuditFilter(kind: .registration), limit: 9) }.map(\.number) == [1])
    #expect(try await read { try $0.audit.rows(AuditFilter(outcome: "wrongSignature"), limit: 9) }.map(\.number) == [3])
    #expect(try await read { try $0.accounts.block(of: "alice") } == nil)
    let keys = try await read { try $0.credentials.records(of: "alice") }
    #expect(keys.map(\.signCounter) == [7])
    #expect(keys.map(\.deviceID) == ["desk"])
    #expect(keys.map(\.origin) == [KeyOrigin()])
    let block = AccountBlock(since: 4, until: nil, reason: "left", actor: "test")
    #expect(try await write { try $0.accounts.setBlock(block, of: "alice") })
    #expect(try await read { try $0.accounts.summary(of: "alice", now: 5) }?.block == block)
    let sought = try #require(SearchText("LIC"))
    let found = try await write { records in
      let found = try records.profiles.search(
        sought, AccountQuery(limit: 5), after: nil, lookingAt: 9, now: 1)
      try records.profiles.set(["alice": AccountProfile(displayName: "앨리스", groups: ["가"])], now: 5)
      return found
    }
    #expect(found.accounts.map(\.username) == ["alice"] && found.accounts.map(\.profile) == [AccountProfile()])
    #expect(try await read { try $0.accounts.summary(of: "alice", now: 5) }?.profile.groups == ["가"])
    try await write { try $0.audit.append([AuditEntry(time: 5, kind: .login, actor: .person)]) }
    #expect(try await read { try $0.audit.last() }.number == 4)
  }
}
