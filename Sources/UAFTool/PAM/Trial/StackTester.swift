import Glibc

/// Whoever tries a stack.
protocol StackTester {
  /// What libpam says when `user` authenticates to `service` of `folder` and cancels every question.
  ///
  /// - Throws: ``TrialProblem``: `notTried`, `crashed`.
  func cancelled(_ service: String, in folder: String, as user: String) throws(TrialProblem) -> CInt
  /// What libpam says to whether `user` may use `service` of `folder`, without having authenticated, and cancelling every
  /// question.
  ///
  /// - Throws: ``TrialProblem``: `notTried`, `crashed`.
  func account(_ service: String, in folder: String, as user: String) throws(TrialProblem) -> CInt
  /// The same as ``cancelled(_:in:as:)`` with whoever sits at the terminal, and then, if `account`, whether `user` may use the
  /// service, or may after a new passcode; other results come with libpam's words.
  func answered(
    _ service: String, in folder: String, as user: String, account: Bool, in surroundings: Surroundings
  ) -> Result<Void, StackRefusal>
}
