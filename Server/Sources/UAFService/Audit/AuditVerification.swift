import Synchronization
import UAFMessages

/// Checks the whole audit of a store: each row, each stored head, and heads that were kept outside the store.
///
/// It reads page by page, so it does not hold the audit in memory and does not make the server wait.
package struct AuditVerification {
  /// How many rows are read in one transaction.
  private static let page = 1000

  private let store: any ServerStore
  private let keys: AuditHeadKeys
  private let now: Int64
  /// The heads from outside the store that are not yet compared, in the order of their numbers.
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
  ///   - kept: heads that were kept outside the store; their signatures are checked already.
  ///   - now: seconds since 1970.
  package init(of store: any ServerStore, keys: AuditHeadKeys, kept: [AuditHead] = [], now: Int64) {
    self.store = store
    self.keys = keys
    self.now = now
    self.kept = kept.sorted { $0.link.number < $1.link.number }[...]
  }

  /// Checks until a fault is found.
  ///
  /// If old rows are removed in the meantime, the check starts again after the removed rows.
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

  /// The head that replaces the removed rows; nil if none were removed.
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
    // The rows that the remaining heads sign are missing.
    if let fault = try await heads(through: .max) { return fault }
    if summary.rows > 0, !hasHeads { return .noHeads }
    return summary.removed == 0 || removalIsRecorded ? nil : .removalNotRecorded(summary.removed)
  }

  /// Begins after the removed rows.
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
    // The row after the checked one is read too: it shows what happened to a row that does not fit.
    if rows.count < 2 {
      let last = rows.last?.number ?? (summary.rows == 0 ? .min : chain.last.number)
      let filter = AuditFilter(after: last)
      rows += try await store.read { try $0.audit.rows(filter, limit: Self.page) }
    }
    return rows.popFirst()
  }

  /// Checks the heads up to a number.
  private mutating func heads(through number: Int64) async throws -> AuditFault? {
    while let stored = heads.first, stored.number <= number {
      heads.removeFirst()
      // After the last row no more heads are read: they may sign rows that were added in the meantime.
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

  /// Notes rows that were unsigned for too long, even if a head covers them now.
  private mutating func look(until time: Int64, through number: Int64) {
    guard let from = oldest else { return }
    oldest = nil
    let gap = AuditGap(after: chain.headNumber, through: number, from: from, until: time)
    if gap.seconds > AuditGap.bound { summary.add(gap) }
  }

  /// Whether the detail of a row says that rows were removed, up to exactly this number.
  private static func names(_ number: Int64, _ detail: String) -> Bool {
    guard case .object(let object)? = try? JSONValue(parsing: Array(detail.utf8)) else { return false }
    return object["through"] == .integer(number)
  }
}

/// For how long the end of the audit has been unsigned, as this process knows it.
///
/// It does not ask the store: a store that hangs, fails or discards what is written to it cannot make the time look shorter.
package final class AuditStanding: Sendable {
  private let state = Mutex<SignedMoment?>(nil)

  /// Makes a state that reports the audit as signed until ``note(_:)`` is called.
  package init() {}

  /// The last moment at which the whole audit was signed; nil if nobody updates it.
  package var moment: SignedMoment? { state.withLock { $0 } }

  /// Notes that the whole audit was signed.
  package func note(_ moment: SignedMoment) { state.withLock { $0 = moment } }

  /// For how many seconds this process has not known the audit to be signed to its end.
  ///
  /// If the clock was set back, the count starts again from 0: otherwise it would stay at 0 until the clock has caught up.
  ///
  /// - Parameter now: seconds since 1970.
  package func unsignedSeconds(at now: Int64) -> Int64 {
    state.withLock { state in
      guard let moment = state else { return 0 }
      if moment.time > now { state = SignedMoment(link: moment.link, time: now) }
      return max(0, now - moment.time)
    }
  }

  /// Whether the audit has been unsigned for longer than ``AuditGap/bound``.
  ///
  /// - Parameter now: seconds since 1970.
  package func isOverdue(at now: Int64) -> Bool { unsignedSeconds(at: now) > AuditGap.bound }
}

/// When a server last knew that the whole audit was signed.
///
/// It is kept outside the store, so that whoever can change the store cannot shorten a gap.
package struct SignedMoment: Equatable, Sendable {
  /// The row that was signed last.
  package let link: AuditLink
  /// Seconds since 1970.
  package let time: Int64
  /// Whether the server noted this moment because it was stopped regularly.
  package let isStopped: Bool

  package init(link: AuditLink, time: Int64, isStopped: Bool = false) {
    self.link = link
    self.time = time
    self.isStopped = isStopped
  }

  /// The content of the file in which the moment is kept.
  package var json: JSONValue {
    .object([
      "number": .integer(link.number), "hash": .string(Base64URL.encode(link.hash)), "time": .integer(time),
      "stopped": .bool(isStopped),
    ])
  }

  /// Reads the content of that file; nil for anything else.
  package init?(_ bytes: [UInt8]) {
    guard case .object(let object)? = try? JSONValue(parsing: bytes), case .integer(let number)? = object["number"],
      case .string(let text)? = object["hash"], let hash = try? Base64URL.decode(text, maximumCount: 32),
      hash.count == 32, case .integer(let time)? = object["time"], case .bool(let isStopped)? = object["stopped"]
    else { return nil }
    self.init(link: AuditLink(number: number, hash: hash), time: time, isStopped: isStopped)
  }
}

/// The outcome of a check of the whole audit.
package struct AuditSummary: Equatable, Sendable {
  /// The first fault; nil if there is none.
  package var fault: AuditFault?
  /// How many rows are valid.
  package var rows = 0
  /// The number of the last valid row.
  package var last: Int64 = 0
  /// The number of the last row that a signed head covers.
  package var signed: Int64 = 0
  /// The number of the last removed row; 0 if none were removed.
  package var removed: Int64 = 0
  /// The number of the first row in which the server records that signed rows were missing or changed; 0 if there is none.
  package var broken: Int64 = 0
  /// The first ``mostGaps`` periods in which rows were unsigned for longer than ``AuditGap/bound``: those that the server
  /// recorded in rows, and those that the times of rows and heads show.
  package var gaps: [AuditGap] = []

  /// The most gaps that are listed.
  package static let mostGaps = 100

  /// Adds a gap to the list, or merges it with the listed gap that it belongs to.
  mutating func add(_ gap: AuditGap) {
    if let index = gaps.lastIndex(where: { $0.merged(with: gap) != nil }), let both = gaps[index].merged(with: gap) {
      gaps[index] = both
    } else if gaps.count < Self.mostGaps {
      gaps.append(gap)
    }
  }
}
