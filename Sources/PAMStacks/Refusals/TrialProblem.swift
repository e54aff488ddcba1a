import Glibc

/// What a stack did in a trial although no stack may do it.
package enum TrialProblem: Error, Equatable {
  /// No folder to try it in, within `parent`; the system's error number.
  case folder(CInt, parent: String)
  /// No process to try it in; the system's error number.
  case notTried(CInt)
  /// A module of it crashed or did not end.
  case crashed(service: String, signal: CInt)
  /// A line of it names a module that is not there.
  case noModule(String, file: String)
  /// A line of it that libpam would take as a refusal, or as the beginning of another line.
  case noLine(Int, file: String)
  /// No line of it asks pam_uaf.
  case asksNothing
  /// libpam cannot read it.
  case unreadable(service: String)
  /// libpam cannot load or understand a line of it; libpam's number for that.
  case broken(service: String, CInt)
  /// Somebody who entered nothing was let in.
  case letsAnybodyIn(service: String)
  /// The account lines give somebody another result than before; libpam's codes.
  case accountDiffers(service: String, user: String, before: CInt, after: CInt)
  /// The module did not get an answer of the core; libpam's number.
  case noCore(CInt)
  /// The core cannot use its configuration, or the module its arguments.
  case configuration
  /// The person at the terminal was not let in; libpam's number for that, in words.
  case personRefused(StackRefusal)
}
