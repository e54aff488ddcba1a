import UAFService

/// Reads rows of the audit page by page: none is held longer than it is printed, and the server does not wait.
struct AuditPages {
  private static let page = 1000

  let store: any ServerStore
  let filter: AuditFilter

  /// Hands over each row in the order of their numbers.
  ///
  /// - Parameter most: how many at most.
  func forEach(atMost most: Int = .max, _ body: (AuditRow) -> Void) async throws {
    var (filter, left) = (filter, most)
    while left > 0 {
      let wanted = min(left, Self.page)
      let rows = try await store.read { [filter] in try $0.audit.rows(filter, limit: wanted) }
      for row in rows { body(row) }
      guard rows.count == wanted, let last = rows.last else { return }
      filter.after = last.number
      left -= wanted
    }
  }
}
