import ArgumentParser
import Doctor
import TerminalPrompts
import UAFWire
import Wording

/// `uafctl keyring`: commands about the password of the desktop's keyring.
struct KeyringCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandHelp.keyring.configuration(
      "keyring", subcommands: [KeyringSetCommand.self, KeyringStatusCommand.self, KeyringForgetCommand.self])
  }
}

/// `uafctl keyring set`.
struct KeyringSetCommand: CoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.keyringSet.configuration("set") }
  static let done = ToolText.keyringKept
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var names: AuthenticatorArguments

  func request(in context: ToolContext) throws(ToolError) -> Request { names.request(.keyringSet, in: context) }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let request = try request(in: context)
    let end = ConversationEnd(try run(request, in: context))
    return end.isSuccess
      ? end.tellSuccess(as: Self.done, orAsCore: Self.isToldByCore, in: context) : end.tellFailure(in: context)
  }

  private func run(_ request: Request, in context: ToolContext) throws(ToolError) -> Finished {
    let call = try call(in: context)
    if let terminal = context.terminal {
      var person = KeyringPerson(
        TerminalPerson(terminal, in: context, configuration: call.configuration), in: context)
      return try call.run(request, with: &person)
    }
    let lines = LinePerson(
      input: LineInput(descriptor: context.input), output: context.output, language: context.language)
    var person = KeyringPerson(lines, in: context)
    return try call.run(request, with: &person)
  }
}

/// `uafctl keyring status`.
struct KeyringStatusCommand: CoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.keyringStatus.configuration("status") }
  static let done = ToolText.accepted

  @OptionGroup var conf: ConfigurationOption

  @Argument(help: .text(.account), completion: MachineCompletion.people)
  var user: String?

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.status)
    request.user = user
    return request
  }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let finished = try call(in: context).run(try request(in: context))
    guard finished.pamCode == 0 else { return ConversationEnd(finished).tellFailure(in: context) }
    let document = try finished.statusDocument()
    if !document.unlocksKeyring { context.note(ToolText.keyringUnlockIsOff) }
    let decided = document.authenticators.filter { $0.keyring != nil }
    if decided.isEmpty { context.result(ToolText.keyringNothing) }
    for authenticator in decided {
      context.result(
        ToolText.keyringUnder(type: ShownText.line(authenticator.type), isKept: authenticator.keyring == "kept"))
    }
    return decided.contains { $0.keyring == "kept" } ? .success : .refused
  }
}

/// `uafctl keyring forget`.
struct KeyringForgetCommand: CoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.keyringForget.configuration("forget") }
  static let done = ToolText.keyringForgotten
  static let isToldByCore = true

  @OptionGroup var conf: ConfigurationOption

  @Argument(help: .text(.account), completion: MachineCompletion.people)
  var user: String?

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.keyringForget)
    request.user = user
    return request
  }
}
