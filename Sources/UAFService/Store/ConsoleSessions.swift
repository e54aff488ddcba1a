/// Those who have signed in to the console.
package protocol ConsoleSessions {
  /// Adds a session; those that have ended, and of an account the oldest beyond ``ConsoleSession/mostOfAccount``, are removed.
  ///
  /// - Parameter now: seconds since 1970.
  func add(_ session: ConsoleSession, now: Int64) throws

  /// - Parameter tokenHash: SHA-256 of the token.
  func session(tokenHash: [UInt8]) throws -> ConsoleSession?

  /// Notes that it was used; an earlier time than the one that is noted changes nothing.
  ///
  /// - Parameter time: seconds since 1970.
  func use(tokenHash: [UInt8], at time: Int64) throws

  /// Sets the step that waits in it, in place of an earlier one.
  ///
  /// - Parameter step: nil if none waits any more.
  func setStep(_ step: ConsoleSession.WaitingStep?, tokenHash: [UInt8]) throws

  func remove(tokenHash: [UInt8]) throws

  /// Ends all sessions.
  func removeAll() throws

  /// Ends all sessions of an account.
  func removeAll(of username: String) throws

  /// The text of a step that waits in a session of the account; nil if there is none.
  ///
  /// - Parameter id: of its ``ConfirmationCode``.
  func stepText(id: [UInt8], of username: String) throws -> String?
}
