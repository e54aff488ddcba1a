import Glibc

/// What a stack did, when it was tried, that none may do.
package enum TrialProblem: Error, Equatable {
  /// No folder to try it in; the system's error number.
  case folder(CInt)
  /// No process to try it in; the system's error number.
  case notTried(CInt)
  /// A module of it crashed, or did not come to an end.
  case crashed(service: String, signal: CInt)
  /// A line of it names a module that is not there.
  case noModule(String, file: String)
  /// A line of it that libpam would take for a refusal, or for the beginning of another.
  case noLine(Int, file: String)
  /// It asks pam_uaf nowhere.
  case asksNothing
  /// libpam cannot read it.
  case unreadable(service: String)
  /// libpam cannot load or understand a line of it; libpam's number for that.
  case broken(service: String, CInt)
  /// Somebody who entered nothing was let in.
  case letsAnybodyIn(service: String)
  /// The account lines say something else to somebody than they did; libpam's numbers.
  case accountDiffers(service: String, user: String, before: CInt, after: CInt)
  /// The module did not get an answer of the core; libpam's number.
  case noCore(CInt)
  /// The core cannot use its configuration, or the module its arguments.
  case configuration
  /// The person at the terminal was not let in; libpam's number for that, in words.
  case personRefused(StackRefusal)
}
