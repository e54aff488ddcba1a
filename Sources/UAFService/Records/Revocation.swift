/// When a key was revoked, by whom and why.
package struct Revocation: Equatable, Sendable {
  /// Seconds since 1970.
  package let time: Int64
  /// As the audit names them; empty for a key that an older version of the server revoked.
  package let by: String
  /// Empty if nobody gave one.
  package let reason: String

  package init(time: Int64, by: String, reason: String = "") {
    self.time = time
    self.by = by
    self.reason = reason
  }
}
