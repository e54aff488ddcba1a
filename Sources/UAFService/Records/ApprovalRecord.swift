/// A text that waits to be confirmed, or did, for those who have asked for it.
package struct ApprovalRecord: Equatable, Sendable {
  package let id: Int64
  package let username: String
  package let shown: String
  /// Seconds since 1970.
  package let expiresAt: Int64
  package let outcome: ApprovalOutcome

  package init(id: Int64, username: String, shown: String, expiresAt: Int64, outcome: ApprovalOutcome) {
    self.id = id
    self.username = username
    self.shown = shown
    self.expiresAt = expiresAt
    self.outcome = outcome
  }
}
