import FidoResults
import Glibc
import Invocation
import PAMStacks

/// Why a subcommand could not do its work.
enum ToolError: Error, Equatable {
  /// Only root may do that.
  case onlyRoot(RootsWork)
  /// The account cannot be looked up.
  case noSuchAccount(String)
  /// One name alone, and it is neither an account nor an authenticator type.
  case noSuchAccountOrType(String)
  /// The account's name is empty.
  case emptyName
  /// No account can have such a name: it has white space, control or non-ASCII characters.
  case badName(String)
  /// A caller without root named somebody else.
  case accountIsNotYours
  /// The command line asks for something that is not possible.
  case badArgument(ArgumentProblem)
  /// The configuration cannot be used.
  case configuration(ConfigurationProblem)
  /// There is no code to work with.
  case payload(PayloadError)
  /// The person gave no value to try.
  case noValue
  /// The conversation with the core did not end properly.
  case core(CoreError)
  /// The terminal cannot be used.
  case terminalFailed(CInt)
  /// A service's stack is left as it is.
  case stack(StackError)
  /// The command line has a word where a command should stand.
  case unknownCommand(UnknownCommand)
  /// A result could not be written; the system's error number.
  case unwritten(CInt)
  /// The file of the recovery key cannot be used.
  case recoveryKey(RecoveryKeyError)
  /// The machine does not join a server, or leave it.
  case join(JoinProblem)
  /// No memory for an entry.
  case outOfMemory
}

extension ToolError {
  /// How the program ends.
  var exit: ToolExit {
    switch self {
    case .onlyRoot, .noSuchAccount, .noSuchAccountOrType, .emptyName, .badName, .accountIsNotYours, .badArgument,
      .configuration, .payload, .noValue,
      .terminalFailed, .unknownCommand, .recoveryKey, .join, .outOfMemory:
      .usage
    case .stack(.badService), .stack(.noTemplateKnown), .stack(.noShape), .stack(.noService), .stack(.noTemplate):
      .usage
    case .stack: .refused
    case .unwritten: .unwritten
    case .core(.noHandler): .refused
    case .core: .unreachable
    }
  }
}

extension ToolError {
  /// The result that a program reads: the one that the core would give for the same reason.
  var result: FidoResult {
    switch self {
    case .emptyName: .emptyUsername
    case .badName: .invalidUsername
    case .noSuchAccountOrType, .badArgument(.noSuchType): .invalidAuthenticatorType
    case .core(.noHandler): .noSuitableAuthenticator
    case .core(.unable): .cannotUse
    case .core: .clientMismatch
    case .terminalFailed, .outOfMemory, .unwritten: .cannotUse
    case .onlyRoot, .noSuchAccount, .accountIsNotYours, .badArgument, .configuration, .payload, .noValue, .stack,
      .unknownCommand, .recoveryKey, .join:
      .invalidParameter
    }
  }
}
