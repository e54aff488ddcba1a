import Glibc

/// Whoever tries a stack.
protocol StackTester {
  /// What libpam says when `user` authenticates to `service` of `folder` and cancels every question.
  ///
  /// - Throws: ``TrialProblem``: `notTried`, `crashed`.
  func cancelled(_ service: String, in folder: String, as user: String) throws(TrialProblem) -> CInt
  /// The same with whoever sits at the terminal; nil if there is none. Other results come with libpam's words.
  func answered(_ service: String, in folder: String, as user: String, in surroundings: Surroundings) -> Result<
    Void, StackRefusal
  >
}

/// libpam's number for what is no success, and its words.
struct StackRefusal: Error, Equatable {
  let code: CInt
  let text: String
}
