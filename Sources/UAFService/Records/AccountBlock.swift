/// Why an account gets in by no way, and for how long.
package struct AccountBlock: Equatable, Sendable {
  /// Seconds since 1970, when the account was disabled or locked.
  package let since: Int64
  /// When a lock ends, in seconds since 1970; nil for a disabled account, which stays so until somebody enables it.
  package let until: Int64?
  /// What the administrator gave as the reason.
  package let reason: String
  /// Who did it, as the audit names them.
  package let actor: String

  package init(since: Int64, until: Int64?, reason: String, actor: String) {
    self.since = since
    self.until = until
    self.reason = reason
    self.actor = actor
  }

  /// What somebody hears who has proved to be the account's person; nil if the lock is over.
  ///
  /// - Parameter now: seconds since 1970.
  package func refusal(at now: Int64) -> ServiceRefusal? {
    guard let until else { return .accountDisabled }
    return until > now ? .accountLocked : nil
  }
}
