import Glibc

/// Asks libpam, or what stands for it in a test, how a stack behaves.
package protocol StackTester {
  /// What libpam says when `user` authenticates to `service` of `folder` and cancels every question.
  ///
  /// - Throws: ``TrialProblem``: `notTried`, `crashed`.
  func cancelled(_ service: String, in folder: String, as user: String) throws(TrialProblem) -> CInt
  /// What libpam says to whether `user` may use `service` of `folder`, without having authenticated, and cancelling every
  /// question.
  ///
  /// - Throws: ``TrialProblem``: `notTried`, `crashed`.
  func account(_ service: String, in folder: String, as user: String) throws(TrialProblem) -> CInt
  /// Lets `answerer` log in as `user` at `service` of `folder`.
  ///
  /// - Parameters:
  ///   - account: whether `user` must also be allowed to use the service, at once or after a new passcode.
  ///   - answerer: nil where nobody is there to answer, which is a refusal.
  /// - Returns: success, or why `user` was not let in.
  func answered(
    _ service: String, in folder: String, as user: String, account: Bool, by answerer: (any StackAnswerer)?
  ) -> Result<Void, StackRefusal>
}
