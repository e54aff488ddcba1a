/// An enrolment code that was given out: for whom, by whom, and whether it was used; never the code.
package struct IssuedCode: Equatable, Sendable {
  package let number: Int64
  package let username: String
  /// As the audit names them.
  package let issuedBy: String
  /// Whether it may be for a privileged account, and makes a key that counts for the steps of administrators.
  package let reachesPrivileged: Bool
  /// Seconds since 1970, and so are the others.
  package let issuedAt: Int64
  package let expiresAt: Int64
  /// nil if nobody has registered with it.
  package let usedAt: Int64?
  /// Whether somebody can register with it now.
  package let isOpen: Bool

  package init(
    number: Int64, username: String, issuedBy: String, reachesPrivileged: Bool = false, issuedAt: Int64,
    expiresAt: Int64,
    usedAt: Int64?, isOpen: Bool
  ) {
    self.number = number
    self.username = username
    self.issuedBy = issuedBy
    self.reachesPrivileged = reachesPrivileged
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.usedAt = usedAt
    self.isOpen = isOpen
  }
}
