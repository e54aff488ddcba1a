import UAFService

/// The rows of the audit that a transaction adds when it ends.
///
/// The end of the chain is locked from then until the commit, and after all that the transaction has changed. So two that write
/// never wait for each other, and none waits long.
final class AuditBuffer {
  private(set) var events: [AuditEntry] = []

  func append(_ more: [AuditEntry]) { events += more }

  /// Forgets what came after the first `count` rows.
  func cut(to count: Int) { events.removeLast(events.count - count) }
}
