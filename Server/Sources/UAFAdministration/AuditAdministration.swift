import UAFService

/// What administrators read in the audit.
package struct AuditAdministration: Sendable {
  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Rows of the audit; the filter says where they begin, and in which order they come.
  ///
  /// - Parameter limit: at most 200.
  /// - Returns: the rows; the next page is after, or before, the number `next`. A page may have fewer rows than there are, or
  ///   none, and a further page may follow: see ``AuditWindow``.
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

  /// The newest logins since a time, the newest first; reads at most ``AuditWindow/mostRows`` rows.
  ///
  /// - Returns: at most `limit` rows, and whether there may be more.
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

  /// The rows to read: those with the requested times, as far as their numbers tell.
  private static func window(_ filter: AuditFilter, in audit: any AuditTrail) throws -> AuditWindow {
    var first = try audit.rows(AuditFilter(), limit: 1).first?.number
    if let since = filter.since {
      let beside = try audit.numbers(around: since - min(since, InstanceClocks.mostApart))
      // No row is new enough, or whichever of both neighbours has the lower number: a clock may have been set.
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
/// If no index finds the requested rows, a page reads at most ``mostRows``, and says where the next page continues. So a page
/// of ten million rows costs no more than one of a thousand, even if it finds nothing.
struct AuditWindow: Equatable {
  /// Some 20 ms of work, if words are searched for.
  static let mostRows: Int64 = 10_000

  /// The filter for the store.
  private(set) var filter: AuditFilter
  /// Where the next page begins if this one finds no more rows; nil if there is nothing beyond it.
  private(set) var next: Int64?

  /// Finds the window.
  ///
  /// - Parameters:
  ///   - first: the number from which on there may be rows with the requested time; nil if there are none.
  ///   - end: the number from which on there are no such rows.
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

  /// Whether rows have to be read of which none may match.
  static func mustLook(_ filter: AuditFilter) -> Bool {
    if filter.words != nil || !filter.negated.isEmpty { return true }
    let wanted = [filter.kind?.rawValue, filter.outcome, filter.machine].compactMap { $0 }.count
    // An account may have as many rows as all others together.
    guard filter.account == nil else { return wanted > 0 }
    return wanted > filter.rareFields.count || wanted > 1
  }
}
