import Glibc

/// Why a service's stack is left as it is.
enum StackError: Error, Equatable {
  /// Why a name is none of a service that can be changed.
  enum Name: Equatable {
    case noName, ours, shared, unattended
  }

  case badService(String, Name)
  /// Nobody said which template fits.
  case noTemplateKnown(String)
  /// This template has one shape.
  case noShape
  case noTemplate(path: String)
  case folder(path: String, StackFileProblem)
  case busy(path: String)
  case file(path: String, StackFileProblem)
  /// It is not what it was when it was read.
  case changed(path: String)
  case noService(String, folders: [String])
  /// The service includes another one that is enabled or disabled itself.
  case follows(path: String, service: String)
  /// pam-auth-update put the module into the lines all services share.
  case profile(path: String)
  /// The module stands there already, and not by us.
  case byHand(path: String)
  case noLine(path: String, include: String)
  case severalLines(path: String, include: String)
  case foldedLine(path: String, line: Int)
  case lineIsNoText(path: String, line: Int)
  case jump(path: String, line: Int)
  /// pam_uaf's would be the only lines of a group.
  case alone(path: String, group: String)
  /// What stood there before is written nowhere.
  case nothingRecorded(path: String, include: String)
  case noWayIn(WayIn.Objection)
  case trial(TrialProblem)
  /// Another name of the program of a service cannot be changed with it.
  indirect case member(StackError, of: String)
  /// It failed in the middle, and these services could not be put back.
  indirect case notUndone(StackError, services: [String])
  case outOfMemory
}

extension StackError {
  /// How the program ends.
  var exit: ToolExit {
    switch self {
    case .badService, .noTemplateKnown, .noShape, .noService, .noTemplate: .usage
    default: .refused
    }
  }

  /// What to do about it.
  var hint: String? {
    switch self {
    case .badService(_, .shared): "pam-auth-update changes the lines that all services share"
    case .badService(_, .ours): "name the service that includes it"
    case .badService(_, .unattended): "name the one that people answer, such as gdm-password, lightdm or sddm"
    case .badService(_, .noName): nil
    case .noTemplateKnown: "--template NAME: sudo, sshd, login, su, polkit-1, display-manager, sddm or locker"
    case .noShape: "leave --shape out"
    case .noTemplate: "choose another --shape: pam.d/README.md has the ready stacks"
    case .folder(_, .system): "name the folder with --pam-directory"
    case .folder(let path, _): "chown root:root \(path) && chmod 755 \(path)"
    case .file(let path, .owner), .file(let path, .writable): "chown root:root \(path) && chmod 644 \(path)"
    case .file: "make it one plain file of root's"
    case .changed: "run it again"
    case .busy: "wait for the other uafctl"
    case .noService: "name one of the files there; uafctl pam status lists those that ask for the passcode"
    case .follows(_, let service): "uafctl pam enable \(service)"
    case .profile: "it asks in every service already; pam-auth-update takes it out"
    case .byHand: "take those lines out first"
    case .noLine(_, let include), .severalLines(_, let include):
      "write '@include \(include)' in place of the lines that ask for the password, by hand; the ready stacks are in pam.d/"
    case .foldedLine, .lineIsNoText: "write it as one line of plain text"
    case .jump: "a jump counts lines, and the new stack has another number of them: change both by hand"
    case .alone(let path, let group):
      "write '@include common-\(group)', or whatever 'other' has for \(group), into \(path)"
    case .nothingRecorded(_, let include):
      "write what stood in place of '@include \(include)', which is '@include common-auth' on Debian"
    case .noWayIn: WayIn.hint
    case .trial(let problem): problem.hint
    case .member(let error, let service):
      (error.hint.map { $0 + "; or " } ?? "")
        + "uafctl pam enable \(service) --only, which leaves the other name open to the password"
    case .notUndone(_, let services): "uafctl pam disable \(services.joined(separator: "; uafctl pam disable "))"
    case .outOfMemory: "free some, or raise this process's limits"
    }
  }
}

extension StackError: CustomStringConvertible {
  /// What failed, and where.
  var description: String {
    switch self {
    case .badService(let name, .noName): "\(ShownText.line(name)) is no name of a service"
    case .badService(let name, .ours): "\(ShownText.line(name)) is a stack of pam-uaf's, and no service"
    case .badService(let name, .shared): "\(ShownText.line(name)) is shared by services"
    case .badService(let name, .unattended):
      "\(ShownText.line(name)) asks nobody: it starts a greeter, or logs somebody in without a question"
    case .noTemplateKnown(let name): "there is no ready stack for \(ShownText.line(name))"
    case .noShape: "the stack of passwd has one shape"
    case .noTemplate(let path): "the ready stack \(path) is not there"
    case .folder(let path, let problem), .file(let path, let problem): "\(path): \(problem)"
    case .changed(let path): "\(path) was changed meanwhile by somebody else"
    case .busy(let path): "another uafctl is changing how services ask, and holds \(path)"
    case .noService(let name, let folders): "there is no service \(name) in \(folders.joined(separator: " or "))"
    case .follows(let path, let service): "\(path) takes its lines from \(service)"
    case .profile(let path): "\(path) asks pam_uaf itself: a profile of pam-auth-update is on"
    case .byHand(let path): "\(path) asks pam_uaf already, by lines that uafctl did not write"
    case .noLine(let path, _): "\(path) has no line that includes the password's stack"
    case .severalLines(let path, _): "\(path) has more than one line that includes the password's stack"
    case .foldedLine(let path, let line): "\(path):\(line): the line goes on in another one"
    case .lineIsNoText(let path, let line): "\(path):\(line): the line is not UTF-8"
    case .jump(let path, let line): "\(path):\(line): this line jumps over some of those behind it"
    case .alone(let path, let group): "\(path) has no \(group) lines of its own, and pam_uaf's would be the only ones"
    case .nothingRecorded(let path, _): "\(path): what stood there before is written nowhere"
    case .noWayIn(let objection): "administrators would have no other way in: \(objection)"
    case .trial(let problem): "the new stack was tried, and not put in place: \(problem)"
    case .member(let error, let service): "\(error), and is another name of \(service): nothing was changed"
    case .notUndone(let error, let services): "\(error); and \(services.joined(separator: ", ")) could not be put back"
    case .outOfMemory: "no memory"
    }
  }
}
