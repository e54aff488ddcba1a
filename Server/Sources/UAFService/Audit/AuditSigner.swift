import UAFMessages

/// Signs the end of the audit, and removes old rows.
package struct AuditSigner: Sendable {
  /// Why nothing is signed.
  package enum Refusal: Error, Equatable {
    /// The row that was signed last is missing, or was replaced.
    case changed(Int64)
    /// The last stored head is not signed by a known key, or the row that it signs is missing or was replaced.
    case headUnfit(StoredHead)
    /// The head that was signed last is no longer stored.
    case headGone(Int64)

    /// The number of the row that the refusal is about.
    package var number: Int64 {
      switch self {
      case .changed(let number), .headGone(let number): number
      case .headUnfit(let head): head.number
      }
    }
  }

  /// The store reported success, but does not have what was stored.
  package enum NotKept: Error, Equatable {
    /// The head that signs this row is missing.
    case head(Int64)
    /// A row with a number above this one is missing.
    case row(after: Int64)
  }

  /// The most heads without a valid signature that are skipped to find one with a valid signature.
  private static let mostPassed = 100
  /// How many rows or heads are read in one transaction.
  private static let mostRows = 1000

  private let store: any ServerStore
  private let keys: ServerKeys
  private let published: AuditHeadKeys
  private let now: @Sendable () -> Int64

  /// Makes a signer.
  ///
  /// - Parameters:
  ///   - published: the public keys of all heads that were ever signed; those that belong to `keys` may be left out.
  ///   - now: seconds since 1970.
  package init(
    store: any ServerStore, keys: ServerKeys, published: AuditHeadKeys, now: @escaping @Sendable () -> Int64
  ) {
    self.store = store
    self.keys = keys
    self.published = published
    self.now = now
  }

  private var known: AuditHeadKeys { published.adding(keys.auditHeadKeys) }

  /// Signs the end of the chain, if there are rows since the last signature.
  ///
  /// - Parameter last: the row that this process signed last; the call checks that the store still has it.
  /// - Returns: the new head; nil if there is nothing to sign.
  /// - Throws: ``Refusal``; ``NotKept``; ``StoreFailure``; ``CryptoError``.
  package func sign(after last: AuditLink?) async throws -> (head: StoredHead, link: AuditLink)? {
    try await readBack(try await signed(after: last))
  }

  private func signed(after last: AuditLink?) async throws -> (head: StoredHead, link: AuditLink)? {
    try await store.write { [key = keys.auditKey, known, now = now()] records in
      let end = try records.audit.last()
      if let last, try !Self.isThere(last, end, in: records.audit, known) { throw Refusal.changed(last.number) }
      let stored = try records.audit.lastHead()
      if let stored {
        guard let head = known.head(of: stored), try Self.isThere(head.link, end, in: records.audit, known) else {
          throw Refusal.headUnfit(stored)
        }
      }
      if let last, (stored?.number ?? 0) < last.number { throw Refusal.headGone(last.number) }
      return try Self.sign(end, after: stored?.number ?? 0, now, key, in: records.audit)
    }
  }

  /// Signs the end of the chain although ``sign(after:)`` refused, once a row of the audit records what was found.
  ///
  /// Heads whose rows are missing are removed, since new rows will get those numbers. Sinks receive all rows after the last
  /// valid head, even if they already have rows with those numbers.
  ///
  /// - Returns: like ``sign(after:)``; nil only if there is no row.
  /// - Throws: ``Refusal``; ``NotKept``; ``StoreFailure``; ``CryptoError``.
  package func signAfterRefusal() async throws -> (head: StoredHead, link: AuditLink)? {
    try await readBack(try await signedAfterRefusal())
  }

  private func signedAfterRefusal() async throws -> (head: StoredHead, link: AuditLink)? {
    try await store.write { [key = keys.auditKey, known, now = now()] records in
      let end = try records.audit.last()
      try records.audit.removeHeads(after: end.number - 1)
      try Self.sendAgain(after: Self.lastHolding(end, in: records.audit, known), records.auditDeliveries)
      var stored = try records.audit.lastHead()
      for _ in 0..<Self.mostPassed {
        guard let unsigned = stored, known.head(of: unsigned) == nil else { break }
        stored = try records.audit.lastHead(through: unsigned.number - 1)
      }
      return try Self.sign(end, after: stored?.number ?? 0, now, key, in: records.audit)
    }
  }

  /// Reads a head back from the store after its commit.
  ///
  /// The administrator of a database can make it silently discard what is written, even at the commit.
  private func readBack(
    _ signed: (head: StoredHead, link: AuditLink)?
  ) async throws -> (head: StoredHead, link: AuditLink)? {
    guard let signed else { return nil }
    let stored = try await store.read { try $0.audit.lastHead(through: signed.link.number) }
    // Another instance may have signed the same row.
    guard let stored, known.head(of: stored)?.link == signed.link else {
      throw NotKept.head(signed.link.number)
    }
    return signed
  }

  /// The number of the row that the last valid head signs; 0 if no valid head is found.
  private static func lastHolding(
    _ end: AuditLink, in audit: any AuditTrail, _ keys: AuditHeadKeys
  ) throws -> Int64 {
    var stored = try audit.lastHead()
    for _ in 0..<mostPassed {
      guard let head = stored else { return 0 }
      if let signed = keys.head(of: head), try isThere(signed.link, end, in: audit, keys) { return head.number }
      stored = try audit.lastHead(through: head.number - 1)
    }
    return 0
  }

  private static func sendAgain(after number: Int64, _ deliveries: any AuditDeliveries) throws {
    for var delivery in try deliveries.all() where delivery.goBack(to: number) { try deliveries.keep(delivery) }
  }

  private static func sign(
    _ end: AuditLink, after previous: Int64, _ now: Int64, _ key: TokenKey, in audit: any AuditTrail
  ) throws -> (head: StoredHead, link: AuditLink)? {
    guard end.number > previous else { return nil }
    // The store records the end of the chain separately, so it may know an end whose row the database has discarded.
    guard try audit.rows(AuditFilter(after: end.number - 1), limit: 1).first?.link == end else {
      throw Refusal.changed(end.number)
    }
    let head = try AuditHeadKeys.sign(AuditHead(link: end, signedAt: now, previous: previous), with: key)
    try audit.keep(head)
    return (head, end)
  }

  /// Whether a row is still the one that was signed, or was removed in the regular way.
  private static func isThere(
    _ link: AuditLink, _ end: AuditLink, in audit: any AuditTrail, _ keys: AuditHeadKeys
  ) throws -> Bool {
    guard end.number >= link.number else { return false }
    guard let row = try audit.rows(AuditFilter(after: link.number - 1), limit: 1).first else {
      return end == link
    }
    if row.number == link.number { return row.link == link }
    guard let stored = try audit.heads(after: 0, limit: 1).first, let head = keys.head(of: stored) else {
      return false
    }
    return head.isRemoval && head.link.number >= link.number && head.link.number < row.number
  }

  /// Removes the rows before a time, up to the first row that is not older.
  ///
  /// The rows are removed in portions, so that no transaction makes a login wait for long. For each portion a signed head keeps
  /// the hash of the last removed row, and a new row records who removed how many. So the audit is valid after each portion.
  ///
  /// - Parameters:
  ///   - time: seconds since 1970.
  ///   - actor: who removes them.
  ///   - broken: the number of the row that records that somebody changed the audit, if the caller accepts that; 0 for none.
  ///   - portion: how many rows are removed in one transaction.
  /// - Returns: the number of rows, and the last of them; nil if there are none.
  /// - Throws: ``StoreFailure``; ``CryptoError``.
  package func remove(
    before time: Int64, by actor: AuditActor, accepting broken: Int64 = 0, portion: Int64 = 4000
  ) async throws -> (rows: Int, through: Int64)? {
    let last = try await lastNumber(before: time)
    var detail: JSONObject = ["before": .integer(time)]
    if broken != 0 { detail.set("accepted", .integer(broken)) }
    var removed: (rows: Int, through: Int64)?
    while let more = try await removePortion(portion, through: last, by: actor, detail) {
      removed = ((removed?.rows ?? 0) + more.rows, more.through)
    }
    return removed
  }

  /// The number of the last row that is removed: it and all rows before it are older than a time.
  ///
  /// - Parameter time: seconds since 1970.
  /// - Throws: ``StoreFailure``.
  package func lastNumber(before time: Int64) async throws -> Int64 {
    try await store.read { records in
      let end = try records.audit.last().number
      // The end of the chain stays.
      return min(try records.audit.firstNumber(since: time) ?? end, end) - 1
    }
  }

  private func removePortion(
    _ portion: Int64, through last: Int64, by actor: AuditActor, _ rule: JSONObject
  ) async throws -> (rows: Int, through: Int64)? {
    try await store.write { [key = keys.auditKey, now = now()] records -> (rows: Int, through: Int64)? in
      guard let first = try records.audit.rows(AuditFilter(), limit: 1).first?.number else { return nil }
      let through = min(last, first + portion - 1)
      guard let row = try records.audit.rows(AuditFilter(after: through - 1), limit: 1).first, row.number == through
      else { return nil }
      let head = AuditHead(link: row.link, signedAt: now, previous: 0, isRemoval: true)
      let count = try records.audit.remove(through: through)
      try records.audit.keep(AuditHeadKeys.sign(head, with: key))
      var detail: JSONObject = ["through": .integer(through), "rows": .integer(Int64(count))]
      for member in rule.members { detail.set(member.name, member.value) }
      try records.audit.append([
        AuditEntry(time: now, kind: .removal, actor: actor, detail: JSONValue.object(detail).text)
      ])
      return (count, through)
    }
  }

  // MARK: Times without a signature

  /// The moment from which a process that has just started counts the time without a signature.
  ///
  /// If the last process was killed, or could not sign when it ended, its moment still counts. If it stopped regularly, or kept
  /// no moment, the time begins with the oldest row that no head covers.
  ///
  /// - Parameter kept: the moment that the last process kept outside the store; nil for none.
  /// - Throws: ``StoreFailure``.
  package func beginning(after kept: SignedMoment?) async throws -> SignedMoment {
    let now = now()
    return try await store.read { [known] records in
      let end = try records.audit.last()
      let stored = try records.audit.lastHead()
      let head = stored.flatMap { known.head(of: $0) }
      let isWhole = head?.link == end || end.number == 0 || kept?.isStopped == true && kept?.link == end
      let others = (head?.link.number ?? 0) > (kept?.link.number ?? 0)
      if let kept, !kept.isStopped, !(isWhole && others) { return kept }
      if isWhole { return SignedMoment(link: end, time: now) }
      let link = head?.link ?? .start
      let rows = try records.audit.rows(AuditFilter(after: link.number), limit: Self.mostRows)
      let oldest = rows.map(\.event.time).min() ?? now
      return SignedMoment(link: link, time: min(max(oldest, head?.signedAt ?? oldest), now))
    }
  }

  /// The longest period since a moment in which no head was signed; nil if it is not longer than ``AuditGap/bound``.
  ///
  /// Heads that other instances signed in the meantime count too.
  ///
  /// - Throws: ``StoreFailure``.
  package func gap(since moment: SignedMoment) async throws -> AuditGap? {
    var (last, longest) = (SignedMoment(link: moment.link, time: moment.time), AuditGap?.none)
    func look(until time: Int64, through number: Int64) {
      let gap = AuditGap(after: last.link.number, through: number, from: last.time, until: time)
      if gap.seconds > max(AuditGap.bound, longest?.seconds ?? 0) { longest = gap }
    }
    while true {
      let heads = try await store.read { [number = last.link.number] records in
        try records.audit.heads(after: number, limit: Self.mostRows)
      }
      for head in heads.compactMap({ known.head(of: $0) }) where !head.isRemoval {
        look(until: head.signedAt, through: head.link.number)
        last = SignedMoment(link: head.link, time: max(last.time, head.signedAt))
      }
      guard heads.count == Self.mostRows, let number = heads.last?.number, number == last.link.number else { break }
    }
    look(until: now(), through: last.link.number)
    return longest
  }

  /// The row that the last head signs; the beginning of the chain if there is no head.
  ///
  /// - Throws: ``StoreFailure``.
  package func signedEnd() async throws -> AuditLink {
    try await store.read { [known] in try $0.audit.lastHead().flatMap { known.head(of: $0) }?.link ?? .start }
  }
}
