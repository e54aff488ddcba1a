import Glibc

/// Why a service's stack is left as it is.
package enum StackError: Error, Equatable {
  /// Why a name is none of a service that can be changed.
  package enum Name: Equatable {
    case noName, ours, shared, unattended
  }

  case badService(String, Name)
  /// No template was named, and none is known for the service.
  case noTemplateKnown(String)
  /// This template has one shape.
  case noShape
  case noTemplate(path: String)
  case folder(path: String, StackFileProblem)
  case busy(path: String)
  case file(path: String, StackFileProblem)
  /// The file has changed since it was read.
  case changed(path: String)
  case noService(String, folders: [String])
  case sudoers(SudoersProblem)
  /// The service includes another one that is enabled or disabled itself.
  case follows(path: String, service: String)
  /// pam-auth-update put the module into the lines all services share.
  case profile(path: String)
  /// The module is there already, and `uafctl pam enable` did not write that line.
  case byHand(path: String)
  case noLine(path: String, include: String)
  case severalLines(path: String, include: String)
  case foldedLine(path: String, line: Int)
  case lineIsNoText(path: String, line: Int)
  /// From this line on, libpam 1.5 and later versions read the file differently.
  case twoReadings(path: String, line: Int)
  /// The line ends as Windows writes it, and libpam takes the carriage return for part of its last word.
  case carriageReturn(path: String, line: Int)
  case jump(path: String, line: Int)
  /// This line can let somebody in before pam_uaf is asked.
  case passedOver(path: String, line: Int)
  /// Somebody can get in although pam_uaf has refused.
  case noRefusal(path: String)
  /// pam_uaf's lines would be the only ones of a group.
  case alone(path: String, group: String)
  /// There is no record of the line that was there before.
  case nothingRecorded(path: String, include: String)
  case noWayIn(WayIn.Objection)
  /// These people use the service, and would be refused because they have registered nothing.
  case unregistered([String])
  case trial(TrialProblem)
  /// Another name of the program of a service cannot be changed with it.
  indirect case member(StackError, of: String)
  /// It failed in the middle, and these services could not be put back.
  indirect case notUndone(StackError, services: [String])
  case outOfMemory
}

/// Why a service is not the one to enable for sudo: sudoers has it ask for others (`pam_service`, `pam_login_service`).
package enum SudoersProblem: Error, Equatable {
  /// sudo asks for another service than the one that was named.
  case otherService(String, asked: String)
  /// sudo asks for one more service, which would stay open.
  case furtherService(asked: String)
}
