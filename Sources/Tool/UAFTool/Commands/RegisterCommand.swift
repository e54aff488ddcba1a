import ArgumentParser
import FidoResults
import UAFWire

/// `uafctl register`.
struct RegisterCommand: JSONCoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.register.configuration("register") }
  static let done = ToolText.registered
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Option(
    name: [.customLong("code"), .customLong("payload")],
    help: .text(.code, valueName: "file"),
    completion: .file())
  var codeFile: String?

  @Flag(help: .text(.token))
  var token = false

  @Argument(help: .text(.account), completion: MachineCompletion.peopleAndTypes)
  var user: String?

  @Argument(help: .text(.newType), completion: MachineCompletion.types)
  var type: String?

  func request(in context: ToolContext) throws(ToolError) -> Request {
    let names = Names(user: user, type: type, accounts: context.caller.accounts)
    var request = Request(.register, about: names)
    try request.takeCode(codeFile, in: context)
    request.wantsToken = token
    return request
  }
}

/// `uafctl deregister`.
struct DeregisterCommand: JSONCoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.deregister.configuration("deregister") }
  static let done = ToolText.deregistered
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Flag(help: .text(.allTypes))
  var all = false

  @Option(
    name: .customLong("user"), help: .text(.accountBefore, visibility: .hidden),
    completion: MachineCompletion.people)
  var userBefore: String?

  @Option(
    name: [.customLong("code"), .customLong("payload")],
    help: .text(.proofCode, valueName: "file"),
    completion: .file())
  var codeFile: String?

  @Flag(help: .text(.deregistrationToken))
  var token = false

  @OptionGroup var names: AuthenticatorArguments

  func validate() throws {
    let isType = names.user.map { userBefore != nil || AuthenticatorName.isPossible($0) } ?? false
    let namesType = names.type != nil || isType
    if all, namesType { throw UsageMistake.allAndType.error }
    if userBefore != nil, names.type != nil { throw UsageMistake.accountTwice.error }
  }

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = names.request(all ? .deregisterAll : .deregister, of: userBefore, in: context)
    try request.takeCode(codeFile, in: context)
    request.wantsToken = token
    return request
  }
}

/// `uafctl reset`.
struct ResetCommand: JSONCoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.reset.configuration("reset") }
  static let done = ToolText.reset

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Option(
    name: [.customLong("code"), .customLong("payload")],
    help: .text(.newCode, valueName: "file"),
    completion: .file())
  var codeFile: String?

  @Flag(help: .text(.deregister))
  var deregister = false

  @OptionGroup var names: AuthenticatorArguments

  /// An error with the code of a reset is reported as a failed reset, as the core would report it.
  static func result(of error: ToolError) -> FidoResult? {
    if case .payload = error { .authenticatorResetFailed } else { nil }
  }

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = names.request(.reset, in: context)
    if context.caller.isRoot {
      guard codeFile == nil || deregister else {
        throw .badArgument(.payloadOfRoot)
      }
    } else if deregister {
      throw .onlyRoot(.tellServer)
    }
    try request.takeCode(codeFile, in: context)
    guard request.code != nil || context.caller.isRoot && !deregister else { throw .payload(.missing(.code)) }
    return request
  }
}

/// `uafctl repair`.
struct RepairCommand: JSONCoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.repair.configuration("repair") }
  static let done = ToolText.repaired
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Option(name: .customLong("code"), help: .text(.newCode, valueName: "file"), completion: .file())
  var codeFile: String?

  @OptionGroup var names: AuthenticatorArguments

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = names.request(.repair, in: context)
    try request.takeCode(codeFile, in: context)
    return request
  }
}

/// `uafctl forget`.
struct ForgetCommand: CoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.forget.configuration("forget") }
  static let done = ToolText.forgotten
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption

  @Argument(help: .text(.forgottenAccount), completion: MachineCompletion.people)
  var user: String

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.forget)
    request.user = user
    return request
  }
}

/// `uafctl rename`.
struct RenameCommand: CoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.rename.configuration("rename") }
  static let done = ToolText.renamed
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption

  @Option(help: .text(.oldName, valueName: "old"))
  var from: String

  @Argument(help: .text(.renamedAccount), completion: MachineCompletion.people)
  var user: String

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.rename)
    request.user = user
    request.formerName = from
    guard !from.isEmpty else { throw .badArgument(.oldNameMissing) }
    let accounts = context.caller.accounts
    if let former = accounts.account(named: from), former.userID != accounts.account(named: user)?.userID {
      throw .badArgument(.oldNameInUse(from, user: user))
    }
    return request
  }
}
