import Testing
import UAFService

@testable import UAFAdministration

/// How many rows of the audit one page looks at.
struct AuditWindowTests {
  private func filter(_ change: (inout AuditFilter) -> Void) -> AuditFilter {
    var filter = AuditFilter()
    change(&filter)
    return filter
  }

  @Test
  func `a page of the audit reads all rows if the search wants each of them, or if an index finds the wanted rows`() {
    let filters = [
      AuditFilter(), AuditFilter(account: "alice"), AuditFilter(kind: .policy), AuditFilter(outcome: "wrongSignature"),
      AuditFilter(account: "alice", since: 5, until: 9),
    ]
    for filter in filters {
      let window = AuditWindow(filter, first: 1, end: 10_000_001)
      #expect(window.filter.before == 10_000_001)
      #expect(window.next == nil)
    }
  }

  @Test
  func `a page of the audit reads only a part if many rows may not match, and says where the next page continues`() {
    let filters = [
      AuditFilter(kind: .login), AuditFilter(outcome: "ok"), AuditFilter(machine: "laptop"),
      AuditFilter(kind: .policy, machine: "laptop"), filter { $0.words = "sudo" },
      filter { $0.service = "sudo" },
      AuditFilter(account: "alice", kind: .policy), AuditFilter(account: "alice", outcome: "wrongSignature"),
      AuditFilter(account: "alice", machine: "laptop"), filter { ($0.account, $0.negated) = ("alice", [.account]) },
    ]
    for filter in filters {
      let window = AuditWindow(filter, first: 1, end: 10_000_001)
      #expect(window.filter.after == 0)
      #expect(window.filter.before == 10_001)
      #expect(window.next == 10_000)
    }
  }

  @Test func `a search of the audit in pages, from either end, reads each row once`() {
    for isNewestFirst in [false, true] {
      var asked = filter { ($0.machine, $0.isNewestFirst) = ("laptop", isNewestFirst) }
      var looked = Set<Int64>()
      var pages = 0
      while true {
        let window = AuditWindow(asked, first: 101, end: 70_101)
        let rows = (window.filter.after + 1)..<(window.filter.before ?? 0)
        #expect(looked.isDisjoint(with: rows))
        looked.formUnion(rows)
        pages += 1
        guard let next = window.next else { break }
        if isNewestFirst { asked.before = next } else { asked.after = next }
      }
      #expect(looked == Set(101...70_100))
      #expect(pages == 7)
    }
  }

  @Test func `a search of the audit stays within the row numbers that were asked for`() {
    let asked = filter { ($0.machine, $0.after, $0.before) = ("laptop", 500, 600) }
    let window = AuditWindow(asked, first: 1, end: 10_000_001)
    #expect(window.filter == asked)
    #expect(window.next == nil)
  }

  @Test func `a search of the audit finds nothing if no row has the requested time`() {
    let window = AuditWindow(AuditFilter(since: 5), first: nil, end: 10)
    #expect(window.filter.before == 0)
    #expect(window.next == nil)
  }

  @Test func `a search of the audit finds nothing, and ends, if the requested row numbers exclude each other`() {
    let asked = filter { ($0.machine, $0.after, $0.before) = ("laptop", 90_000, 5) }
    #expect(AuditWindow(asked, first: 1, end: 100_000).next == nil)
  }
}
