import Glibc
import Invocation
import PAMStacks

/// Why a subcommand could not do its work.
enum ToolError: Error, Equatable {
  /// Only root may do that.
  case onlyRoot(RootsWork)
  /// The account cannot be looked up.
  case noSuchAccount(String)
  /// A caller without root named somebody else.
  case accountIsNotYours
  /// The command line asks for what cannot be.
  case badArgument(ArgumentProblem)
  /// The configuration cannot be used.
  case configuration(ConfigurationProblem)
  /// The payload stands on the command line itself.
  case payloadOnCommandLine
  /// The payload's file cannot be read; the system's error number.
  case payloadUnreadable(path: String, CInt)
  /// What was read is not one line of 1 to 16,384 bytes.
  case payloadUnusable
  /// The payload cannot be taken apart, or asks for what no payload may.
  case payloadNotUnderstood(PayloadProblem)
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
  /// The core cannot work for anybody (1007): its words, in the caller's language, or the result.
  case coreUnable(ConfigurationProblem)
  /// Nothing came within the time.
  case coreSilent
  /// What came is not what PROTOCOL.md has here.
  case coreConfused(Confusion)
  /// The core asks for something that whoever answers cannot be asked for (2002).
  case noHandler(check: String)
  /// The terminal cannot be used.
  case terminalFailed(CInt)
  /// A service's stack is left as it is.
  case stack(StackError)
  /// The command line has a word where a command should stand.
  case unknownCommand(UnknownCommand)
  /// A result could not be written; the system's error number.
  case unwritten(CInt)
  /// No memory for an entry.
  case outOfMemory
}

extension ToolError {
  /// How the program ends.
  var exit: ToolExit {
    switch self {
    case .onlyRoot, .noSuchAccount, .accountIsNotYours, .badArgument, .configuration, .payloadOnCommandLine,
      .payloadUnreadable, .payloadUnusable, .payloadNotUnderstood, .noPayload, .noValue, .terminalFailed,
      .unknownCommand, .outOfMemory:
      .usage
    case .noHandler: .refused
    case .stack(.badService), .stack(.noTemplateKnown), .stack(.noShape), .stack(.noService), .stack(.noTemplate):
      .usage
    case .stack: .refused
    case .unwritten: .unwritten
    case .noCore, .coreIsNotRoots, .coreNotStarted, .coreEnded, .coreUnable, .coreSilent, .coreConfused: .unreachable
    }
  }
}
