import AuthenticatorTypes
import Glibc
import HostSystem
import UAFConfiguration
import UAFMessages
import UAFWire

/// The caller: who it is, its terminal and locale, and what it may state to the core (docs/protocol.md, "Who may say what").
struct ToolUser {
  /// The caller's effective uid.
  var userID: uid_t
  /// The caller's locale, for the language of texts.
  var locale: [UInt8]?
  /// The name of the caller's terminal.
  var tty: [UInt8]?
  /// The directory in which accounts are looked up.
  var accounts: any AccountDirectory

  /// Whether the core accepts an account and arguments from this caller.
  var isRoot: Bool { userID == 0 }

  /// How often a call asks again after a wrong entry.
  ///
  /// sudo and sshd call the module again themselves, but nobody calls uafctl again.
  private static let tries = "tries=3"

  /// The message *begin* for `request`.
  ///
  /// - Parameter configuration: the absolute path of root's own configuration.
  /// - Throws: ``ToolError``: `onlyRoot`, `noSuchAccount`, `noSuchAccountOrType`, `emptyName`, `badName`,
  ///   `accountIsNotYours`, `payload`.
  func begin(_ request: Request, configuration: String?) throws(ToolError) -> Begin {
    var begin = Begin(request.operation)
    begin.service = Array("uafctl".utf8)
    begin.locale = locale
    begin.tty = tty
    begin.authenticator = request.authenticator.map { Array($0.utf8) }
    // In the message, the former name for a rename is in the field for a code (docs/protocol.md).
    begin.payload = request.formerName.map { Array($0.utf8) } ?? request.code
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
    case .unlock where request.code == nil: throw .onlyRoot(.unlock)
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

  /// Refuses a code that was given in place of an account or a type.
  ///
  /// The error does not repeat it.
  private func refuseCodes(in request: Request) throws(ToolError) {
    for word in [request.user, request.authenticator].compactMap(\.self) where accounts.account(named: word) == nil {
      if let kind = CodeKind(word) { throw .payload(.kindOnCommandLine(kind)) }
      if EnrolmentCode.isTypedInHangul(word) { throw .payload(.kindOnCommandLine(.enrolmentCode)) }
    }
  }

  /// Refuses a name that no account can have, by the same rule as the core.
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
