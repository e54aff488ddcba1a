/// Somebody who has signed in to the console.
package struct ConsoleSession: Equatable, Sendable {
  /// SHA-256 of the token that the browser has; the token is kept nowhere.
  package let tokenHash: [UInt8]
  package let username: String
  /// The role at the sign-in.
  package let role: String
  /// Seconds since 1970, and so are the others.
  package let startedAt: Int64
  package let lastUsedAt: Int64
  /// The step that waits to be confirmed.
  package var step: WaitingStep?

  /// A dangerous step that waits until its text is confirmed.
  package struct WaitingStep: Equatable, Sendable {
    /// Of its ``ConfirmationCode``.
    package let id: [UInt8]
    /// What is confirmed.
    package let text: String
    /// What is done then, with all its parameters, as JSON.
    package let action: String
    /// The code as the browser has it.
    package let code: String

    package init(id: [UInt8], text: String, action: String, code: String) {
      self.id = id
      self.text = text
      self.action = action
      self.code = code
    }
  }

  /// How long nothing may happen, in seconds.
  package static let idle: Int64 = 900
  /// How long it lasts at most, in seconds.
  package static let lifetime: Int64 = 28_800
  /// How often its last use is noted, in seconds.
  package static let useInterval: Int64 = 30
  /// How far the clocks of two instances of the server may be apart, in seconds.
  package static let clocksApart: Int64 = 900
  /// How many an account may have; a further one ends the oldest.
  package static let mostOfAccount = 8

  package init(
    tokenHash: [UInt8], username: String, role: String, startedAt: Int64, lastUsedAt: Int64, step: WaitingStep? = nil
  ) {
    self.tokenHash = tokenHash
    self.username = username
    self.role = role
    self.startedAt = startedAt
    self.lastUsedAt = lastUsedAt
    self.step = step
  }

  /// Whether it goes on.
  ///
  /// - Parameters:
  ///   - role: the account's role now; nil if it has none.
  ///   - isBlocked: whether the account is disabled or locked now.
  ///   - now: seconds since 1970, of any instance of the server.
  package func isGood(role: String?, isBlocked: Bool, now: Int64) -> Bool {
    guard lastUsedAt - now <= Self.clocksApart, now - lastUsedAt < Self.idle, now - startedAt < Self.lifetime else {
      return false
    }
    return !isBlocked && role == self.role
  }
}
