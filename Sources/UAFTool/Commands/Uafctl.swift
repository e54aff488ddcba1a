import ArgumentParser
import Doctor
import Invocation
import TerminalPrompts

/// The command without a subcommand: help and version.
struct Uafctl: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uafctl",
    abstract: "Registers and checks the passcode that logs you in, and looks after pam-uaf.",
    discussion: """
      Passcodes and enrolment codes are asked for on the terminal without showing them. Where standard input is no terminal, \
      each question takes one line of it. Only results go to standard output. Whoever has forgotten a value asks the \
      administrator for an enrolment code, and sets a new value with register --code.


      """ + ExitStatusHelp().english,
    version: ToolVersion.text,
    subcommands: [
      RegisterCommand.self, AuthenticateCommand.self, ChangeCommand.self, ResetCommand.self, DeregisterCommand.self,
      RepairCommand.self, OutOfBandCommand.self, StatusCommand.self, UnlockCommand.self, ForgetCommand.self,
      RenameCommand.self,
      InitCommand.self,
      SealCommand.self, UnsealCommand.self, RecoverCommand.self, TrustCommand.self, JoinCommand.self, LeaveCommand.self,
      CheckInCommand.self, PolicyCommand.self, FacetCommand.self, DoctorCommand.self, PAMCommand.self,
    ])

  @OptionGroup var conf: ConfigurationOption
}

/// The program from its arguments to its exit status.
enum Tool {
  /// Parses `arguments`, does what they say, and prints what happened on the outputs of `context`.
  static func run(_ arguments: [String], in context: ToolContext) -> ToolExit {
    let exit = carryOut(arguments, in: context)
    guard let number = context.output.failure else { return exit }
    context.failure(ToolError.unwritten(number))
    return .unwritten
  }

  private static var names: CommandNames { CommandNames(Uafctl.self, valued: ["--conf"]) }

  private static func carryOut(_ arguments: [String], in context: ToolContext) -> ToolExit {
    if let unknown = names.unknownTopic(in: arguments) {
      context.failure(ToolError.unknownCommand(unknown))
      return .usage
    }
    do {
      var command = try Uafctl.parseAsRoot(arguments)
      guard let subcommand = command as? any Subcommand else {
        try command.run()
        return .success
      }
      return perform(subcommand, in: context)
    } catch {
      return tell(error, in: context)
    }
  }

  private static func perform(_ subcommand: some Subcommand, in context: ToolContext) -> ToolExit {
    do throws(ToolError) {
      return try subcommand.perform(in: context)
    } catch {
      let isInJSON = (subcommand as? any JSONDocumentCommand)?.json == true
      if isInJSON { JSONLines(in: context).failure(error) } else { context.failure(error) }
      return error.exit
    }
  }

  /// Help, version and completions are results; anything else that parsing ends with is the caller's mistake.
  private static func tell(_ error: any Error, in context: ToolContext) -> ToolExit {
    let full = Uafctl.fullMessage(for: error)
    if Uafctl.exitCode(for: error).isSuccess {
      // One line for each text, so that no text is wrapped before it is translated.
      let wide = Uafctl.fullMessage(for: error, columns: 100_000)
      let page = context.language == .korean ? KoreanHelpPage(of: wide) : nil
      context.output.result(
        page?.text(columns: context.columns) ?? Self.wrappingUsage(of: full, columns: context.columns))
      return .success
    }
    let message = ParserMessage(error, by: Uafctl.self)
    if let unknown = names.unknownCommand(by: message.problem, after: message.path) {
      context.failure(ToolError.unknownCommand(unknown))
      return .usage
    }
    switch context.language {
    case .english: context.output.note(full.hasPrefix(prefix) ? String(full.dropFirst(prefix.count)) : full)
    case .korean: context.output.note(KoreanParserMessage.text(message))
    }
    return .usage
  }

  /// The parser's page, of which it breaks every line but those of the usage.
  private static func wrappingUsage(of page: String, columns: Int) -> String {
    page.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("USAGE: ") ? TextRows.usage(String(line), columns: columns, hanging: 7) : String(line)
    }.joined(separator: "\n")
  }

  // What the parser puts before a mistake.
  private static let prefix = "Error: "
}

/// How uafctl ends: as uaf-server does.
typealias ToolExit = ExitStatus
