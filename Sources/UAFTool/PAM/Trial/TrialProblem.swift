import Glibc

/// What a stack did, when it was tried, that none may do.
enum TrialProblem: Error, Equatable, CustomStringConvertible {
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
  case personRefused(String)

  var description: String {
    switch self {
    case .folder(let number): "no folder to try it in: \(SystemError.text(number))"
    case .notTried(let number): "no process to try it in: \(SystemError.text(number))"
    case .crashed(let service, let signal):
      signal == SIGALRM
        ? "a module of \(service) did not come to an end" : "a module of \(service) crashed (signal \(signal))"
    case .noModule(let module, let file): "\(file) names \(ShownText.line(module)), which is not where PAM looks for it"
    case .noLine(let line, let file): "\(file):\(line) is no line libpam understands"
    case .asksNothing: "it asks pam_uaf nowhere"
    case .unreadable(let service): "libpam cannot read the stack of \(service)"
    case .broken(let service, let code): "libpam has a stack for \(service) that it cannot use (\(code))"
    case .letsAnybodyIn(let service): "\(service) lets somebody in who enters nothing"
    case .accountDiffers(let service, let user, let before, let after):
      "without pam_uaf, the account lines of \(service) said \(before) to \(user) before, and would say \(after)"
    case .noCore(let code): "the core did not answer the module (\(code))"
    case .configuration: "the core cannot use its configuration, or the module its arguments"
    case .personRefused(let why): "it did not let you in: \(ShownText.line(why))"
    }
  }

  /// What to do about it.
  var hint: String {
    switch self {
    case .folder: "look at /tmp"
    case .notTried: "free memory or processes"
    case .crashed, .noModule, .unreadable, .broken:
      "the log (authpriv) says which line; reinstall the package that has the module"
    case .accountDiffers: "write the lines of the service so that no account line of it is left out or jumped over"
    case .noLine, .asksNothing, .letsAnybodyIn: "choose another template"
    case .noCore, .configuration: "uafctl doctor says why"
    case .personRefused: "see it accepted with uafctl authenticate first"
    }
  }
}
