/// Signs the end of the audit, and removes what is older than a rule allows.
package struct AuditSigner: Sendable {
  /// Why nothing is signed.
  package enum Refusal: Error, Equatable {
    /// The row that was signed last is not there any more, or is another one.
    case changed(Int64)
  }

  private let store: any ServerStore
  private let keys: ServerKeys
  private let now: @Sendable () -> Int64

  /// Makes a signer.
  ///
  /// - Parameter now: seconds since 1970.
  package init(store: any ServerStore, keys: ServerKeys, now: @escaping @Sendable () -> Int64) {
    self.store = store
    self.keys = keys
    self.now = now
  }

  /// Signs the end of the chain, if rows have come since it was signed last.
  ///
  /// - Parameter last: what this process has signed last; it is looked whether that is still so.
  /// - Returns: the new head; nil if there is nothing to sign.
  /// - Throws: ``Refusal``; ``StoreFailure``; ``CryptoError``.
  package func sign(after last: AuditLink?) async throws -> (head: StoredHead, link: AuditLink)? {
    try await store.write { [key = keys.auditKey, known = keys.auditHeadKeys, now = now()] records in
      let end = try records.audit.last()
      let stored = try records.audit.lastHead()?.number ?? 0
      if let last, try !Self.isThere(last, end, in: records.audit, known) { throw Refusal.changed(last.number) }
      guard end.number > stored else { return nil }
      let head = try AuditHeadKeys.sign(AuditHead(link: end, signedAt: now, previous: stored), with: key)
      try records.audit.keep(head)
      return (head, end)
    }
  }

  /// Whether a row is as it was signed, or was removed by a rule.
  private static func isThere(
    _ link: AuditLink, _ end: AuditLink, in audit: any AuditTrail, _ keys: AuditHeadKeys
  ) throws -> Bool {
    guard end.number >= link.number else { return false }
    guard let row = try audit.rows(AuditFilter(after: link.number - 1), limit: 1).first else {
      return end == link
    }
    if row.number == link.number { return row.link == link }
    guard let stored = try audit.heads(after: 0, limit: 1).first, let head = keys.head(of: stored.token) else {
      return false
    }
    return head.isRemoval && head.link.number >= link.number && head.link.number < row.number
  }

  /// Removes the rows before a time, but none that comes after one that stays.
  ///
  /// The last of them keeps its hash in a signed head, and a row says who has removed how many.
  ///
  /// - Parameters:
  ///   - time: seconds since 1970.
  ///   - actor: who does it.
  /// - Returns: how many rows, and the last of them; nil if there are none.
  /// - Throws: ``StoreFailure``; ``CryptoError``.
  package func remove(before time: Int64, by actor: AuditActor) async throws -> (rows: Int, through: Int64)? {
    try await store.write { [key = keys.auditKey, now = now()] records in
      let end = try records.audit.last().number
      // The end of the chain stays.
      let through = min(try records.audit.firstNumber(since: time) ?? end, end) - 1
      guard let row = try records.audit.rows(AuditFilter(after: through - 1), limit: 1).first, row.number == through
      else { return nil }
      let head = AuditHead(link: row.link, signedAt: now, previous: 0, isRemoval: true)
      let count = try records.audit.remove(through: through)
      try records.audit.keep(AuditHeadKeys.sign(head, with: key))
      try records.audit.append([
        AuditEntry(
          time: now, kind: .removal, actor: actor,
          detail: #"{"through":\#(through),"rows":\#(count),"before":\#(time)}"#)
      ])
      return (count, through)
    }
  }
}
