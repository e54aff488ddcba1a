import FidoResults
import Glibc
import UAFWire

/// Why a subcommand could not do its work.
enum ToolError: Error, Equatable {
  /// Only root may do that.
  case onlyRoot(String)
  /// The account cannot be looked up.
  case noSuchAccount(String)
  /// A caller without root named somebody else.
  case accountIsNotYours
  /// The command line asks for what cannot be.
  case badArgument(String)
  /// The configuration cannot be used.
  case configuration(String)
  /// The code stands on the command line itself.
  case payloadOnCommandLine
  /// The code's file cannot be read; the system's error number.
  case payloadUnreadable(path: String, CInt)
  /// What was read is not one line of 1 to 16,384 bytes.
  case payloadUnusable
  /// The code cannot be taken apart, or asks for what no code may.
  case payloadNotUnderstood(String)
  /// The person gave none.
  case noPayload
  /// The person gave no value to try.
  case noValue
  /// No helper's socket, and no right to start one.
  case noCore(CInt)
  /// The socket is served by somebody other than root.
  case coreIsNotRoots
  /// The helper cannot be started; the system's error number.
  case coreNotStarted(path: String, CInt)
  /// The core ended before it said how it went.
  case coreEnded
  /// Nothing came within the time.
  case coreSilent
  /// What came is not what PROTOCOL.md has here.
  case coreConfused(String)
  /// The core asks for something that whoever answers cannot be asked for (2002).
  case noHandler(check: String)
  /// The terminal cannot be used.
  case terminalFailed(CInt)
  /// A service's stack is left as it is.
  case stack(StackError)
  /// No memory for an entry.
  case outOfMemory
}

extension ToolError {
  /// How the program ends.
  var exit: ToolExit {
    switch self {
    case .onlyRoot, .noSuchAccount, .accountIsNotYours, .badArgument, .configuration, .payloadOnCommandLine,
      .payloadUnreadable, .payloadUnusable, .payloadNotUnderstood, .noPayload, .noValue, .terminalFailed, .outOfMemory:
      .usage
    case .noHandler: .refused
    case .stack(let error): error.exit
    case .noCore, .coreIsNotRoots, .coreNotStarted, .coreEnded, .coreSilent, .coreConfused: .unreachable
    }
  }

  /// What to do about it.
  var hint: String? {
    switch self {
    case .onlyRoot: "run it with sudo, or as root"
    case .noSuchAccount: "getent passwd lists the accounts"
    case .accountIsNotYours: "leave the name out for your own account, or run it as root"
    case .configuration: "uafctl doctor checks all of it"
    case .payloadOnCommandLine:
      "other people see command lines: put it into a file, or give - to enter it on standard input"
    case .payloadUnusable, .payloadNotUnderstood: "the server's enrol command prints the code as one line"
    case .noValue: "enter it at the question, or give it as the first line of standard input"
    case .noPayload: "give a file with --code FILE, or - for standard input"
    case .noCore: "start the unit pam-uaf.socket, or run it as root"
    case .coreIsNotRoots: "stop what listens there; the core runs as root"
    case .coreNotStarted: "reinstall the pam-uaf package"
    case .coreEnded, .coreSilent: "the log (authpriv) says more; uafctl doctor checks the installation"
    case .coreConfused: "uafctl and uaf-helper may be of different versions: reinstall the pam-uaf package"
    case .noHandler(check: Check.choice.rawValue): "name one of them, or run it on a terminal"
    case .noHandler: "uafctl and uaf-helper may be of different versions: reinstall the pam-uaf package"
    case .stack(let error): error.hint
    case .outOfMemory: "free some, or raise this process's limits"
    case .badArgument, .payloadUnreadable, .terminalFailed: nil
    }
  }
}

extension ToolError: CustomStringConvertible {
  /// What failed, and where.
  var description: String {
    switch self {
    case .onlyRoot(let what): "only root may \(what)"
    case .noSuchAccount(let name): "no such account: \(ShownText.line(name))"
    case .accountIsNotYours: "only root may name another account"
    case .badArgument(let what): what
    case .configuration(let what): "the configuration cannot be used: \(what)"
    case .payloadOnCommandLine: "a code's place is a file, not the command line"
    case .payloadUnreadable(let path, let number):
      "cannot read the code from \(ShownText.line(path)): \(SystemError.text(number))"
    case .payloadUnusable: "that is no code: it must be one line of 1 to 16384 bytes"
    case .payloadNotUnderstood(let why): "the code cannot be used: \(ShownText.line(why))"
    case .noValue: "no value was given"
    case .noPayload: "no code was given"
    case .noCore(let number): "cannot reach the core at \(InstalledCore.socketPath): \(SystemError.text(number))"
    case .coreIsNotRoots: "what serves \(InstalledCore.socketPath) is not root's"
    case .coreNotStarted(let path, let number):
      "cannot start the core at \(ShownText.line(path)): \(SystemError.text(number))"
    case .coreEnded: "the core ended before it said how it went"
    case .coreSilent: "the core said nothing within the time"
    case .coreConfused(let what): "the core does not keep to the protocol: \(what)"
    case .noHandler(check: Check.choice.rawValue):
      "several authenticators fit, and nobody is there to choose [\(FidoResult.noSuitableAuthenticator.code)]"
    case .noHandler(let check):
      "the core asks for '\(ShownText.line(check))', which cannot be answered here "
        + "[\(FidoResult.noSuitableAuthenticator.code)]"
    case .terminalFailed(let number): "cannot use the terminal: \(SystemError.text(number))"
    case .stack(let error): error.description
    case .outOfMemory: "no memory for a secret"
    }
  }
}
