extension AuditSigner {
  /// The moment from which a process that starts counts the time without a signature.
  ///
  /// A server that was killed, or could not sign when it ended, goes on counting. After one that stopped as it was told to, or
  /// kept no moment yet, the oldest row that no head covers says since when.
  ///
  /// - Parameter kept: what the last process has kept outside the store; nil for nothing.
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

  /// The longest time without a head since a moment, if that is longer than ``AuditGap/bound``.
  ///
  /// Another instance may have signed meanwhile.
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

  /// The row of the last head; the beginning of the chain without one.
  ///
  /// - Throws: ``StoreFailure``.
  package func signedEnd() async throws -> AuditLink {
    try await store.read { [known] in try $0.audit.lastHead().flatMap { known.head(of: $0) }?.link ?? .start }
  }

  /// How many rows or heads are read at once.
  private static let mostRows = 1000
}
