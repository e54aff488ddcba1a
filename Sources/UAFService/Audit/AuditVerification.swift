import UAFMessages

/// Checks the whole audit of a store: each row, each stored head, and heads that were kept elsewhere.
///
/// It reads page by page, so it does not hold the audit in memory and does not keep the server waiting.
package struct AuditVerification {
  /// How many rows are read at once.
  private static let page = 1000

  private let store: any ServerStore
  private let keys: AuditHeadKeys
  private let now: Int64
  /// The heads that were kept elsewhere, in the order of their numbers, and are not yet compared.
  private var kept: ArraySlice<AuditHead>
  private var rows: ArraySlice<AuditRow> = []
  private var heads: ArraySlice<StoredHead> = []
  private var chain = AuditChain()
  private var summary = AuditSummary()
  private var hasHeads = false
  private var removalIsRecorded = false
  /// The time of the oldest row that no head of the store covers yet; nil if there is none.
  private var oldest: Int64?

  /// Makes a check.
  ///
  /// - Parameters:
  ///   - kept: heads that were kept elsewhere, whose signatures were checked.
  ///   - now: seconds since 1970.
  package init(of store: any ServerStore, keys: AuditHeadKeys, kept: [AuditHead] = [], now: Int64) {
    self.store = store
    self.keys = keys
    self.now = now
    self.kept = kept.sorted { $0.link.number < $1.link.number }[...]
  }

  /// Checks until something does not hold.
  ///
  /// If the rule has removed rows meanwhile, rows that were to be read are not there any more: it begins again after them.
  ///
  /// - Throws: ``StoreFailure``; ``CryptoError``.
  package func run() async throws -> AuditSummary {
    while true {
      var attempt = self
      let summary = try await attempt.check()
      guard summary.fault != nil, let removal = try await removal(), removal.link.number > summary.removed else {
        return summary
      }
    }
  }

  /// The head that stands for the rows that a rule has removed; nil if none were.
  private func removal() async throws -> AuditHead? {
    let first = try await store.read { try $0.audit.heads(after: 0, limit: 1) }.first
    return first.flatMap(keys.head(of:)).flatMap { $0.isRemoval ? $0 : nil }
  }

  private mutating func check() async throws -> AuditSummary {
    summary.fault = try await fault()
    summary.last = chain.last.number
    summary.signed = chain.signedNumber
    return summary
  }

  private mutating func fault() async throws -> AuditFault? {
    try await begin()
    if let fault = try await heads(through: summary.removed) { return fault }
    while let row = try await nextRow() {
      if let fault = try chain.check(row, next: rows.first) { return fault }
      summary.rows += 1
      if row.event.kind == .removal, Self.names(summary.removed, row.event.detail) { removalIsRecorded = true }
      if row.event.kind == .broken, summary.broken == 0 { summary.broken = row.number }
      if let gap = AuditGap(row) { summary.add(gap) }
      oldest = min(oldest ?? row.event.time, row.event.time)
      if let fault = try await heads(through: row.number) { return fault }
    }
    look(until: now, through: chain.last.number)
    // What is left was signed, and is not there any more.
    if let fault = try await heads(through: .max) { return fault }
    if summary.rows > 0, !hasHeads { return .noHeads }
    return summary.removed == 0 || removalIsRecorded ? nil : .removalNotRecorded(summary.removed)
  }

  /// Begins after the rows that a rule has removed.
  private mutating func begin() async throws {
    heads = try await store.read { try $0.audit.heads(after: 0, limit: Self.page) }[...]
    hasHeads = !heads.isEmpty
    guard let first = heads.first, let head = keys.head(of: first), head.isRemoval else { return }
    heads.removeFirst()
    chain = AuditChain(after: head)
    summary.removed = head.link.number
    kept = kept.drop { $0.link.number < head.link.number }
  }

  private mutating func nextRow() async throws -> AuditRow? {
    // One more than the row that is checked, which tells what happened to it.
    if rows.count < 2 {
      let last = rows.last?.number ?? (summary.rows == 0 ? .min : chain.last.number)
      let filter = AuditFilter(after: last)
      rows += try await store.read { try $0.audit.rows(filter, limit: Self.page) }
    }
    return rows.popFirst()
  }

  /// Compares the heads up to a number.
  private mutating func heads(through number: Int64) async throws -> AuditFault? {
    while let stored = heads.first, stored.number <= number {
      heads.removeFirst()
      // After the last row no more are read: rows may have come meanwhile, and their head.
      if heads.isEmpty, number < .max {
        heads = try await store.read { try $0.audit.heads(after: stored.number, limit: Self.page) }[...]
      }
      guard let head = keys.head(of: stored) else { return .headNotSigned(stored.number) }
      look(until: head.signedAt, through: head.link.number)
      if let fault = chain.check(head) { return fault }
    }
    while let head = kept.first, head.link.number <= number {
      kept.removeFirst()
      if let fault = chain.compare(with: head) { return fault }
    }
    return nil
  }

  /// Notes rows that were unsigned for too long, also if a head covers them now.
  private mutating func look(until time: Int64, through number: Int64) {
    guard let from = oldest else { return }
    oldest = nil
    let gap = AuditGap(after: chain.headNumber, through: number, from: from, until: time)
    if gap.seconds > AuditGap.bound { summary.add(gap) }
  }

  /// Whether the detail of a row says that rows were removed up to a number.
  private static func names(_ number: Int64, _ detail: String) -> Bool {
    guard case .object(let object)? = try? JSONValue(parsing: Array(detail.utf8)) else { return false }
    return object["through"] == .integer(number)
  }
}
