import UAFService

/// The rows of the audit that one page looks at.
///
/// Where no index finds the rows that are wanted, a page looks at ``mostRows`` at most, and says where the next one goes on. So
/// a page of ten million rows costs no more than one of a thousand, even if it finds nothing.
struct AuditWindow: Equatable {
  /// Some 20 ms of work, where words are looked for.
  static let mostRows: Int64 = 10_000
  /// Seconds by which the clocks of a store's servers may differ: rows are in the order in which they were stored.
  static let clockDifference: Int64 = 900

  /// What is asked of the store.
  private(set) var filter: AuditFilter
  /// Where the next page begins if this one finds no more; nil if there is nothing beyond it.
  private(set) var next: Int64?

  /// Finds the window.
  ///
  /// - Parameters:
  ///   - first: the number from which on there may be rows of the time that is wanted; nil if there are none.
  ///   - end: the number from which on there are no more of them.
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

  /// Whether rows have to be looked at that may all be others than those that are wanted.
  static func mustLook(_ filter: AuditFilter) -> Bool {
    if filter.words != nil || !filter.negated.isEmpty { return true }
    let wanted = [filter.kind?.rawValue, filter.outcome, filter.machine].compactMap { $0 }.count
    // An account may have as many rows as all others together.
    guard filter.account == nil else { return wanted > 0 }
    return wanted > filter.rareFields.count || wanted > 1
  }
}
