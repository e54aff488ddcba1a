import UAFService

/// The operations that read the audit.
package struct AuditAdministration: Sendable {
  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Rows of the audit; the filter says where they begin, and in which order they come.
  ///
  /// - Parameter limit: at most 200.
  /// - Returns: a page of rows. The next page continues after the number `next`, or before it if the newest rows come first. A
  ///   page may have few rows, or none, although further pages follow: see ``AuditWindow``.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func page(
    _ filter: AuditFilter, limit: Int = PageLimit.standard, by caller: Caller
  ) async throws -> Page<AuditRow> {
    try caller.require(.read)
    try PageLimit.check(limit)
    return try await environment.read { records in
      let window = try Self.window(filter, in: records.audit)
      let page = try Page(records.audit.rows(window.filter, limit: limit + 1), limit: limit) { String($0.number) }
      return page.next == nil ? Page(rows: page.rows, next: window.next.map(String.init)) : page
    }
  }

  /// How many rows ``page(_:limit:by:)`` lists on all pages; nil if no index finds them, so that nobody can count them quickly.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func total(_ filter: AuditFilter, by caller: Caller) async throws -> RowTotal? {
    try caller.require(.read)
    var whole = filter
    (whole.after, whole.before) = (0, nil)
    guard !AuditWindow.mustLook(whole) else { return nil }
    return try await environment.read { [whole] records in
      if whole.hasNoConditions {
        // Rows are numbered without gaps, and only the oldest ones are ever removed.
        let last = try records.audit.last().number
        let first = try records.audit.rows(AuditFilter(), limit: 1).first?.number
        return RowTotal(exactly: first.map { Int(clamping: last - $0 + 1) } ?? 0)
      }
      let window = try Self.window(whole, in: records.audit)
      return RowTotal(
        counted: try records.audit.count(window.filter, atMost: RowTotal.mostCounted + 1))
    }
  }

  /// The logins since a time, the newest first.
  ///
  /// At most ``AuditWindow/mostRows`` rows are read.
  ///
  /// - Returns: at most `limit` rows, and whether there may be more logins.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func logins(
    since time: Int64, limit: Int, by caller: Caller
  ) async throws -> (rows: [AuditRow], isPart: Bool) {
    try caller.require(.read)
    var filter = AuditFilter(kind: .login, since: time)
    filter.isNewestFirst = true
    return try await environment.read { [filter] records in
      let window = try Self.window(filter, in: records.audit)
      let rows = try records.audit.rows(window.filter, limit: limit)
      return (rows, window.next != nil || rows.count == limit)
    }
  }

  /// The window of row numbers that contains all rows with the requested times.
  private static func window(_ filter: AuditFilter, in audit: any AuditTrail) throws -> AuditWindow {
    var first = try audit.rows(AuditFilter(), limit: 1).first?.number
    if let since = filter.since {
      let beside = try audit.numbers(around: since - min(since, InstanceClocks.mostApart))
      // Of the two neighbours in time the one with the lower number is used: if a clock was set, numbers and times are not in
      // the same order.
      first = beside.notOlder.map { min($0, beside.older.map { $0 + 1 } ?? $0) }
    }
    var end = try audit.last().number + 1
    let (until, overflow) = (filter.until ?? .max).addingReportingOverflow(InstanceClocks.mostApart)
    if !overflow {
      let beside = try audit.numbers(around: until)
      if let notOlder = beside.notOlder { end = max(notOlder, beside.older.map { $0 + 1 } ?? notOlder) }
    }
    return AuditWindow(filter, first: first, end: end)
  }

  /// One row.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func row(_ number: Int64, by caller: Caller) async throws -> AuditRow {
    try caller.require(.read)
    let row = try await environment.read { records in
      try records.audit.rows(AuditFilter(after: max(number, 1) - 1), limit: 1).first
    }
    guard let row, row.number == number else {
      throw AdministrationRefusal.unknown("row of the audit", name: String(number))
    }
    return row
  }
}

/// The rows of the audit that one page reads.
///
/// If no index finds the requested rows, a page reads at most ``mostRows`` rows, and says where the next page continues. So a
/// page takes no longer in an audit of ten million rows than in one of a thousand, even if nothing is found.
struct AuditWindow: Equatable {
  /// The most rows that a page reads; if words are searched for, that takes some 20 ms.
  static let mostRows: Int64 = 10_000

  /// The filter for the store.
  private(set) var filter: AuditFilter
  /// The number at which the next page continues if the limit of rows is not reached in this window; nil if no rows are left.
  private(set) var next: Int64?

  /// Finds the window.
  ///
  /// - Parameters:
  ///   - first: the lowest number of a row that can have a requested time; nil if there is none.
  ///   - end: the number from which on no row can have a requested time.
  init(_ filter: AuditFilter, first: Int64?, end: Int64) {
    self.filter = filter
    guard let first else {
      self.filter.before = 0
      return
    }
    let after = max(filter.after, first - 1)
    let before = min(filter.before ?? .max, end)
    (self.filter.after, self.filter.before) = (after, before)
    guard Self.mustLook(filter), before > after, before - after - 1 > Self.mostRows else { return }
    if filter.isNewestFirst {
      self.filter.after = before - Self.mostRows - 1
      next = before - Self.mostRows
    } else {
      self.filter.before = after + Self.mostRows + 1
      next = after + Self.mostRows
    }
  }

  /// Whether the store must read rows that may not match, because no index finds the right ones.
  static func mustLook(_ filter: AuditFilter) -> Bool {
    if filter.words != nil || filter.service != nil || !filter.negated.isEmpty { return true }
    let wanted = [filter.kind?.rawValue, filter.outcome, filter.machine].compactMap { $0 }.count
    // The index by account does not suffice for further conditions: one account may have a large part of all rows.
    guard filter.account == nil else { return wanted > 0 }
    return wanted > filter.rareFields.count || wanted > 1
  }
}
