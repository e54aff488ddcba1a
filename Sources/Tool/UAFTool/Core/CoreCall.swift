import AuthenticatorTypes
import HostSystem
import TerminalPrompts
import UAFConfiguration
import UAFMessages
import UAFWire

/// One call of the core: a new connection, one conversation about one request, and the end of the connection.
struct CoreCall {
  let context: ToolContext
  /// The absolute path of root's own configuration, for which a separate core is started; nil for the machine's configuration.
  let configuration: String?

  /// Runs the conversation about `request` with the person at the terminal, or with the script at standard input.
  ///
  /// - Throws: ``ToolError``.
  func run(_ request: Request) throws(ToolError) -> Finished {
    if let terminal = context.terminal {
      var person = TerminalPerson(terminal, in: context, configuration: configuration)
      return try run(request, with: &person)
    }
    let lines = LinePerson(
      input: LineInput(descriptor: context.input), output: context.output, language: context.language)
    if request.inputRead != .nothing {
      var person = CodeGiver(lines, in: context, configuration: configuration)
      return try run(request, with: &person)
    }
    var person = lines
    return try run(request, with: &person)
  }

  /// Runs the conversation about `request` with `person`.
  ///
  /// - Throws: ``ToolError``.
  func run(_ request: Request, with person: inout some Person & ~Copyable) throws(ToolError) -> Finished {
    let begin = try context.caller.begin(request, configuration: configuration)
    let core = try context.core.connect(startsOwn: configuration != nil)
    let finished = Result { () throws(ToolError) in
      var conversation = try Conversation()
      return try conversation.hold(begin, over: core.socket, with: &person)
    }
    core.close()
    return try finished.get()
  }
}

/// A subcommand's request to the core.
struct Request: Equatable {
  /// The operation.
  var operation: Operation
  /// The account that the command line names; nil for the caller's own.
  var user: String?
  /// Whether `user` was the only name on the command line, so that it could also be meant as a type.
  var mayNameType = false
  /// An authenticator type or AAID; nil if the core is to choose or to ask.
  var authenticator: String?
  /// A code, either alone or in its payload.
  var code: [UInt8]?
  /// The account's former name, for a rename.
  var formerName: String?
  /// How much of standard input was read together with the code.
  private(set) var inputRead = InputRead.nothing
  /// Whether the command is to print the server's token.
  var wantsToken = false
  /// A text that the person confirms by entering the passcode or pattern.
  var transaction: [UInt8]?
  /// Whether the core reports when it is ready, and shows its first prompt only after *resume*.
  var isDivided = false
  /// Whether the person wants to deny the text of the approval.
  var denies = false

  /// Takes the code in the file that `--code` names; takes none if that option was not given.
  ///
  /// - Throws: ``ToolError``, as ``CodeSource/read(_:in:as:)``.
  mutating func takeCode(_ file: String?, in context: ToolContext) throws(ToolError) {
    if let given = try CodeSource.read(file, in: context) { take(given) }
  }

  /// Takes a code, and notes what was read together with it.
  mutating func take(_ given: GivenCode) { (code, inputRead) = (given.bytes, given.input) }

  /// A request for the caller's own account, without options.
  init(_ operation: Operation) { self.operation = operation }

  /// A request about an account and an authenticator, as far as the command line names them.
  init(_ operation: Operation, about names: Names) {
    self.operation = operation
    (user, mayNameType) = (names.user, names.user != nil && names.type == nil)
    authenticator = names.type
  }
}

/// The arguments `[USER] [TYPE]` of `register`, `change`, `reset` and `deregister`.
///
/// A single name is the account, unless it is a type and there is no account with that name.
struct Names: Equatable {
  /// The account that the command line names; nil for the caller's own.
  let user: String?
  /// The authenticator type or AAID that the command line names; nil if the core is to choose.
  let type: String?

  /// Decides whether a single name is the account or the type.
  init(user: String?, type: String?, accounts: any AccountDirectory) {
    if type == nil, let user, AuthenticatorName.isPossible(user), accounts.account(named: user) == nil {
      self.user = nil
      self.type = user
    } else {
      self.user = user
      self.type = type
    }
  }
}

/// The names that an authenticator can have on the command line.
enum AuthenticatorName {
  /// The types of this version, for completion in shells.
  static let shown = AuthenticatorType.allCases.map(\.rawValue)

  /// Whether `name` is a type, or has the form of an AAID (`5541#0001`).
  static func isPossible(_ name: String) -> Bool {
    AuthenticatorType(rawValue: name) != nil || name.utf8.count == 9 && name.dropFirst(4).first == "#"
  }
}

/// A text that the person confirms with a passcode or pattern, as `--transaction` gives it.
enum TransactionArgument {
  /// The text's bytes, as a conversation carries them.
  ///
  /// An empty text is refused: a script whose variable is empty would mistake a login without a text for a confirmation.
  ///
  /// - Throws: ``ToolError/badArgument(_:)``.
  static func bytes(of text: String) throws(ToolError) -> [UInt8] {
    guard (1...WireLimit.transaction).contains(text.utf8.count), !text.utf8.contains(0) else {
      throw .badArgument(.transactionLength)
    }
    return Array(text.utf8)
  }
}
