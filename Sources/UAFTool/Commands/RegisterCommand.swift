import ArgumentParser
import FidoResults
import UAFWire

/// `uafctl register`.
struct RegisterCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "register",
    abstract: "Registers an authenticator of an account with the server.",
    discussion: """
      The first registration of an account needs the enrolment code that the server's administrator hands over. A \
      further one may be proved with a registered authenticator instead. A forgotten value is replaced with a new \
      enrolment code, if the server's yes has to be signed (require_signed_verdict). Without that root resets it first.
      """)
  static let done = ToolText.registered
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Option(
    name: [.customLong("code"), .customLong("payload")],
    help: ArgumentHelp(
      "File with the enrolment code; - for standard input, or to be asked for it.", valueName: "file"),
    completion: .file())
  var payload: String?

  @Flag(help: "Print the server's token.")
  var token = false

  @Argument(
    help: "The account; root only. Your own where it is left out.", completion: MachineCompletion.peopleAndTypes)
  var user: String?

  @Argument(help: "Authenticator type, such as passcode.", completion: MachineCompletion.types)
  var type: String?

  func request(in context: ToolContext) throws(ToolError) -> Request {
    let names = Names(user: user, type: type, accounts: context.caller.accounts)
    var request = Request(.register, about: names)
    request.payload = try PayloadSource.read(payload, in: context)
    request.wantsToken = token
    return request
  }
}

/// `uafctl deregister`.
struct DeregisterCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "deregister",
    abstract: "Deletes registrations, here and at the server.")
  static let done = ToolText.deregistered
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Flag(help: "Every authenticator of the account.")
  var all = false

  @Option(
    name: .customLong("user"), help: ArgumentHelp("The account, as it was spelt before.", visibility: .hidden),
    completion: MachineCompletion.people)
  var userBefore: String?

  @Option(
    name: [.customLong("code"), .customLong("payload")],
    help: ArgumentHelp(
      "File with an enrolment code as the proof; - for standard input, or to be asked for it.", valueName: "file"),
    completion: .file())
  var payload: String?

  @Flag(help: "Print the server's token, which says that the keys are gone.")
  var token = false

  @OptionGroup var names: AuthenticatorArguments

  func validate() throws {
    let isType = names.user.map { userBefore != nil || AuthenticatorName.isPossible($0) } ?? false
    let namesType = names.type != nil || isType
    if all, namesType { throw ValidationError(UsageMistake.allAndType.english) }
    if userBefore != nil, names.type != nil { throw ValidationError(UsageMistake.accountTwice.english) }
  }

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = names.request(all ? .deregisterAll : .deregister, of: userBefore, in: context)
    request.payload = try PayloadSource.read(payload, in: context)
    request.wantsToken = token
    return request
  }
}

/// `uafctl reset`.
struct ResetCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Wipes a forgotten passcode or pattern, and makes its keys unusable.",
    discussion: """
      Whoever has forgotten a value need not reset it: register --code sets a new one in one step. A person needs a new \
      enrolment code for a reset, with which the server forgets the keys as well, and a server whose yes has to be signed \
      (require_signed_verdict). Root needs none; the server then still knows the keys, unless root gives a code with \
      --deregister.
      """)
  static let done = ToolText.reset

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Option(
    name: [.customLong("code"), .customLong("payload")],
    help: ArgumentHelp(
      "File with a new enrolment code; - for standard input, or to be asked for it.", valueName: "file"),
    completion: .file())
  var payload: String?

  @Flag(help: "Have the server forget the keys as well; root only, with --code.")
  var deregister = false

  @OptionGroup var names: AuthenticatorArguments

  /// A reset without a code that it needs has failed as a reset, whoever says so.
  static func result(of error: ToolError) -> FidoResult? {
    if case .payload = error { .authenticatorResetFailed } else { nil }
  }

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = names.request(.reset, in: context)
    if context.caller.isRoot {
      guard payload == nil || deregister else {
        throw .badArgument(.payloadOfRoot)
      }
    } else if deregister {
      throw .onlyRoot(.tellServer)
    }
    request.payload = try PayloadSource.read(payload, in: context)
    guard request.payload != nil || context.caller.isRoot && !deregister else { throw .payload(.missing(.code)) }
    return request
  }
}

/// `uafctl repair`.
struct RepairCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Makes a new key for a machine that was restored.",
    discussion: """
      The server refuses a key of which it has seen more signatures than the machine has made. A new enrolment code and the \
      value allow a new key under the same value; the server forgets the old one in the same step. A wrong value counts as \
      an attempt. Of several authenticators each is repaired by itself, and the first one may replace the code for the \
      others.
      """)
  static let done = ToolText.repaired
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Option(
    help: ArgumentHelp(
      "File with a new enrolment code; - for standard input, or to be asked for it.", valueName: "file"),
    completion: .file())
  var code: String?

  @OptionGroup var names: AuthenticatorArguments

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = names.request(.repair, in: context)
    request.payload = try PayloadSource.read(code, in: context)
    return request
  }
}

/// `uafctl forget`.
struct ForgetCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Deletes all that this machine knows of an account; root only.",
    discussion: """
      The server is not told: use deregister for that, as long as the account's keys work. Afterwards the account is one \
      that was never registered here, and a nouserok in a PAM stack lets it pass.
      """)
  static let done = ToolText.forgotten
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption

  @Argument(help: "The account.", completion: MachineCompletion.people)
  var user: String

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.forget)
    request.user = user
    return request
  }
}

/// `uafctl rename`.
struct RenameCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Takes a registration over to the new name of an account; root only.",
    discussion: """
      A registration is bound to the name that the account had. After a renaming (usermod -l, or fully qualified names of sssd) \
      logins are refused until the new name has taken it over. Values, locks and keys stay, and so does the name at the \
      server. The old name must be gone, or belong to the same number.
      """)
  static let done = ToolText.renamed
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption

  @Option(help: ArgumentHelp("The name that the account was registered under.", valueName: "old"))
  var from: String

  @Argument(help: "The account, by its new name.", completion: MachineCompletion.people)
  var user: String

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.rename)
    request.user = user
    request.payload = Array(from.utf8)
    guard !from.isEmpty else { throw .badArgument(.oldNameMissing) }
    let accounts = context.caller.accounts
    if let former = accounts.account(named: from), former.userID != accounts.account(named: user)?.userID {
      throw .badArgument(.oldNameInUse(from))
    }
    return request
  }
}
