import AuthenticatorTypes
import Glibc
import HostSystem
import UAFConfiguration
import UAFMessages
import UAFWire

/// The caller, the caller's terminal, and what such a caller may state (docs/protocol.md, "Who may say what").
struct ToolUser {
  /// The effective uid.
  var userID: uid_t
  /// The locale for texts.
  var locale: [UInt8]?
  /// The terminal's name.
  var tty: [UInt8]?
  /// The directory in which names are looked up.
  var accounts: any AccountDirectory

  /// Whether the core accepts an account and arguments from this caller.
  var isRoot: Bool { userID == 0 }

  /// How often a call asks after wrong entries: sudo and sshd call the module again, but nobody calls uafctl again.
  private static let tries = "tries=3"

  /// The *begin* that asks for `request`.
  ///
  /// - Parameter configuration: root's own configuration file, absolute.
  /// - Throws: ``ToolError``: `onlyRoot`, `noSuchAccount`, `noSuchAccountOrType`, `emptyName`, `badName`,
  ///   `accountIsNotYours`, `payload`.
  func begin(_ request: Request, configuration: String?) throws(ToolError) -> Begin {
    var begin = Begin(request.operation)
    begin.service = Array("uafctl".utf8)
    begin.locale = locale
    begin.tty = tty
    begin.authenticator = request.authenticator.map { Array($0.utf8) }
    begin.payload = request.payload
    if request.wantsToken { begin.wantsToken = true }
    begin.transaction = request.transaction
    if request.isDivided { begin.isDivided = true }
    begin.denies = request.denies
    try refuseCodes(in: request)
    if let user = request.user { try Self.requireName(user) }
    guard isRoot else {
      try refuseWhatIsRoots(request, configuration: configuration)
      return begin
    }
    let account = try account(of: request)
    begin.uid = account.userID
    begin.account = account.name
    begin.arguments = [configuration.map { "conf=" + $0 }, Self.tries].compactMap { $0.map { Array($0.utf8) } }
    return begin
  }

  private func refuseWhatIsRoots(_ request: Request, configuration: String?) throws(ToolError) {
    if configuration != nil { throw .onlyRoot(.chooseConfiguration) }
    switch request.operation {
    case .unlock where request.payload == nil: throw .onlyRoot(.unlock)
    case .initialise: throw .onlyRoot(.initialise)
    case .seal, .unseal, .recover: throw .onlyRoot(.moveKey)
    case .forget: throw .onlyRoot(.forget)
    case .rename: throw .onlyRoot(.rename)
    case .trust: throw .onlyRoot(.trust)
    case .join, .leave: throw .onlyRoot(.join)
    case .checkIn: throw .onlyRoot(.checkIn)
    default: break
    }
    guard let user = request.user else { return }
    let account = accounts.account(named: user)
    if account == nil, request.mayNameType { throw .noSuchAccountOrType(user) }
    guard account?.userID == userID else { throw .accountIsNotYours }
  }

  /// Refuses a code that is given instead of an account or a type, without repeating it.
  private func refuseCodes(in request: Request) throws(ToolError) {
    for word in [request.user, request.authenticator].compactMap(\.self) where accounts.account(named: word) == nil {
      if let kind = CodeKind(word) { throw .payload(.kindOnCommandLine(kind)) }
    }
  }

  /// Refuses a name that no account can have, as the core does.
  private static func requireName(_ name: String) throws(ToolError) {
    guard !name.isEmpty else { throw .emptyName }
    guard name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), name.utf8.count <= WireLimit.accountName else {
      throw .badName(name)
    }
  }

  private func account(of request: Request) throws(ToolError) -> Account {
    let user = request.user
    guard let account = user.map(accounts.account(named:)) ?? accounts.account(withID: userID) else {
      throw request.mayNameType ? .noSuchAccountOrType(user ?? "") : .noSuchAccount(user ?? String(userID))
    }
    return account
  }
}

/// Account and authenticator type, as in `register`, `change`, `reset` and `deregister`: `[USER] [TYPE]`.
///
/// A single name is the account, unless it is a type and there is no account with that name.
struct Names: Equatable {
  /// The account; nil for the caller's own.
  let user: String?
  /// The authenticator type or AAID; nil if the core chooses.
  let type: String?

  /// Decides which name is which.
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

  /// Whether `name` is a type that a configuration may name, or has the form of an AAID (`5541#0001`).
  static func isPossible(_ name: String) -> Bool {
    ConfiguredAuthenticator(rawValue: name) != nil || name.utf8.count == 9 && name.dropFirst(4).first == "#"
  }
}

/// A subcommand's request to the core.
struct Request: Equatable {
  /// The operation.
  var operation: Operation
  /// The account, as named on the command line; nil for the caller's own.
  var user: String?
  /// Whether `user` was the only name, and a type could also be the only name.
  var mayNameType = false
  /// An authenticator type or AAID; nil if the core chooses or asks.
  var authenticator: String?
  /// The payload: an enrolment code, or one that approves a text.
  var payload: [UInt8]?
  /// Whether the payload was a line of standard input, not an answer to a question.
  private(set) var hasReadInput = false
  /// Whether the server's token is wanted.
  var wantsToken = false
  /// A text to be confirmed by the person's value.
  var transaction: [UInt8]?
  /// Whether the core reports when it is ready, and asks only after *resume*.
  var isDivided = false
  /// Whether the person denies the text that the payload asks to approve.
  var denies = false

  /// Takes the payload that `--code` names; none if it was not given.
  ///
  /// - Throws: ``ToolError``, as ``PayloadSource/read(_:in:as:)``.
  mutating func takeCode(_ argument: String?, in context: ToolContext) throws(ToolError) {
    payload = try PayloadSource.read(argument, in: context)
    noteSource(argument, in: context)
  }

  /// Notes where the payload came from.
  mutating func noteSource(_ argument: String?, in context: ToolContext) {
    hasReadInput = argument == "-" && context.terminal == nil
  }

  /// A request for the caller's own account, without options.
  init(_ operation: Operation) { self.operation = operation }

  /// A request about an account and an authenticator, as far as they are named.
  init(_ operation: Operation, about names: Names) {
    self.operation = operation
    (user, mayNameType) = (names.user, names.user != nil && names.type == nil)
    authenticator = names.type
  }
}

/// A text that the person confirms with the value, as `--transaction` gives it.
enum TransactionArgument {
  /// Its bytes, as a conversation carries them.
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
