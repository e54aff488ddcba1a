/// Which rows of the audit are asked for.
package struct AuditFilter: Equatable, Sendable {
  /// Rows with a higher number.
  package var after: Int64
  /// nil for each account, and so on.
  package var account: String?
  package var kind: AuditKind?
  package var outcome: String?
  /// Seconds since 1970, this second included.
  package var since: Int64?
  /// Seconds since 1970, this second not included.
  package var until: Int64?

  package init(
    after: Int64 = 0, account: String? = nil, kind: AuditKind? = nil, outcome: String? = nil, since: Int64? = nil,
    until: Int64? = nil
  ) {
    self.after = after
    self.account = account
    self.kind = kind
    self.outcome = outcome
    self.since = since
    self.until = until
  }
}
