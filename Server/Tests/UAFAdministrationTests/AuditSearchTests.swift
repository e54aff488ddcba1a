import Testing

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// Which rows a search of the audit finds, on each store.
@Suite(.onEachStore) struct AuditSearchTests {
  private let server: TestServer
  private let audit: AuditAdministration
  private let auditor = Caller(actor: .person, role: .auditor, address: "")

  init() throws {
    let server = try TestServer()
    self.server = server
    audit = AuditAdministration(.of(server))
  }

  /// Writes rows 1 to 6.
  private func fill() async throws {
    let rows = [
      AuditEntry(time: 1000, kind: .login, account: "alice", actor: .person, machine: "laptop"),
      AuditEntry(time: 2000, kind: .login, outcome: "wrongSignature", account: "bob", actor: .person, machine: "desk"),
      AuditEntry(time: 3000, kind: .policy, actor: .server, detail: #"{"reason":"100%_sure!"}"#),
      AuditEntry(time: 4000, kind: .login, account: "bob", actor: .person, machine: "laptop"),
      AuditEntry(time: 5000, kind: .registration, account: "carol", actor: .person, address: "192.0.2.7"),
      AuditEntry(time: 6000, kind: .login, account: "alice", actor: .person, machine: "Desk"),
    ]
    try await server.store.write { try $0.audit.append(rows) }
  }

  private func found(_ change: (inout AuditFilter) -> Void) async throws -> [Int64] {
    var filter = AuditFilter()
    change(&filter)
    return try await audit.page(filter, by: auditor).rows.map(\.number)
  }

  @Test func `a search finds audit rows by account, kind, outcome and machine, separately and combined`() async throws {
    try await fill()
    #expect(try await found { $0.account = "bob" } == [2, 4])
    #expect(try await found { $0.kind = .registration } == [5])
    #expect(try await found { $0.outcome = "wrongSignature" } == [2])
    #expect(try await found { $0.machine = "laptop" } == [1, 4])
    #expect(try await found { ($0.kind, $0.outcome) = (.login, "ok") } == [1, 4, 6])
    #expect(try await found { ($0.account, $0.machine) = ("alice", "laptop") } == [1])
  }

  @Test func `a search finds the audit rows that do not meet a condition`() async throws {
    try await fill()
    #expect(try await found { ($0.kind, $0.negated) = (.login, [.kind]) } == [3, 5])
    #expect(try await found { ($0.outcome, $0.negated) = ("ok", [.outcome]) } == [2])
    #expect(try await found { ($0.kind, $0.outcome, $0.negated) = (.login, "ok", [.kind, .outcome]) } == [])
    #expect(try await found { ($0.account, $0.negated) = ("bob", [.account]) } == [1, 3, 5, 6])
    #expect(try await found { ($0.words, $0.negated) = ("laptop", [.words]) } == [2, 3, 5, 6])
  }

  @Test func `a search finds audit rows by service, which it does not find in any other text`() async throws {
    let details = [
      #"{"service":"sudo"}"#, #"{"service":"sudo-i"}"#, #"{"text":"x","service":"sudo"}"#, #"{"service":"SUDO"}"#,
      #"{"reason":"\"service\":\"sudo\""}"#, "", #"{"service":"a\"b"}"#,
    ]
    try await server.store.write { records in
      try records.audit.append(
        details.map { AuditEntry(time: 1000, kind: .login, account: "alice", actor: .person, detail: $0) })
    }
    #expect(try await found { $0.service = "sudo" } == [1, 3])
    #expect(try await found { $0.service = #"a"b"# } == [7])
    #expect(try await found { ($0.account, $0.service) = ("alice", "sudo-i") } == [2])
    #expect(try await found { ($0.service, $0.negated) = ("sudo", [.service]) } == [2, 4, 5, 6, 7])
    #expect(try await found { $0.service = "%" } == [])
  }

  @Test func `a search of the audit finds words anywhere, in any case, and treats no character as a wildcard`()
    async throws
  {
    try await fill()
    #expect(try await found { $0.words = "desk" } == [2, 6])
    #expect(try await found { $0.words = "192.0" } == [5])
    #expect(try await found { $0.words = "100%_sure!" } == [3])
    #expect(try await found { $0.words = "100%sure" } == [])
    #expect(try await found { $0.words = "%" } == [3])
    #expect(try await found { $0.words = "_" } == [3])
    #expect(try await found { $0.words = "'; DROP" } == [])
  }

  @Test func `a search of the audit treats no character as a wildcard, even one with a combining accent`() {
    let pattern = AuditFilter.pattern("%\u{301}!\u{FE0F}_", escape: "!")
    #expect(Array(pattern.unicodeScalars) == Array("%!%\u{301}!!\u{FE0F}!_%".unicodeScalars))
  }

  @Test func `a search finds audit rows by time, even if a server's clock was slow`() async throws {
    try await fill()
    let late = AuditEntry(time: 3500, kind: .login, account: "dave", actor: .person)
    try await server.store.write { try $0.audit.append([late]) }
    #expect(try await found { ($0.since, $0.until) = (3000, 4000) } == [3])
    #expect(try await found { ($0.since, $0.until) = (3000, 6001) } == [3, 4, 5, 6, 7])
    #expect(try await found { $0.since = 9000 } == [])
    #expect(try await found { $0.until = 1000 } == [])
    #expect(try await found { ($0.since, $0.until) = (.min, .max) } == [1, 2, 3, 4, 5, 6, 7])
  }

  @Test func `a search finds audit rows by time, even if a server's clock was years off for one row`() async throws {
    try await server.store.write { records in
      try records.audit.append([AuditEntry(time: 4_000_000_000, kind: .login, account: "ahead", actor: .person)])
    }
    try await fill()
    try await server.store.write { records in
      try records.audit.append([
        AuditEntry(time: 1, kind: .login, account: "behind", actor: .person),
        AuditEntry(time: 7000, kind: .login, account: "dave", actor: .person),
      ])
    }
    #expect(try await found { ($0.since, $0.until) = (5000, 8000) } == [6, 7, 9])
    #expect(try await found { $0.since = 5000 } == [6, 7, 9])
    #expect(try await found { $0.until = 2 } == [8])
  }

  @Test func `a search of the audit reads from the newest row backwards, one page at a time`() async throws {
    try await fill()
    var filter = AuditFilter()
    filter.isNewestFirst = true
    let first = try await audit.page(filter, limit: 4, by: auditor)
    #expect(first.rows.map(\.number) == [6, 5, 4, 3])
    filter.before = first.next.flatMap { Int64($0) }
    let second = try await audit.page(filter, limit: 4, by: auditor)
    #expect(second.rows.map(\.number) == [2, 1])
    #expect(second.next == nil)
  }

  @Test func `a search finds the remaining audit rows after older rows were removed`() async throws {
    try await fill()
    _ = try await server.store.write { try $0.audit.remove(through: 3) }
    #expect(try await found { $0.machine = "laptop" } == [4])
    #expect(try await found { _ in } == [4, 5, 6])
  }
}
