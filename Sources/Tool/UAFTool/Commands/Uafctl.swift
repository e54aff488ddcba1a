import ArgumentParser
import Doctor
import Invocation
import TerminalPrompts

/// The program without a subcommand: it prints help and version.
struct Uafctl: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandHelp.uafctl.configuration(
      "uafctl", version: ToolVersion.text,
      subcommands: [
        RegisterCommand.self, AuthenticateCommand.self, ChangeCommand.self, ResetCommand.self, DeregisterCommand.self,
        RepairCommand.self, OutOfBandCommand.self, StatusCommand.self, UnlockCommand.self, ForgetCommand.self,
        RenameCommand.self, InitCommand.self, SealCommand.self, UnsealCommand.self, RecoverCommand.self,
        TrustCommand.self, JoinCommand.self, LeaveCommand.self, CheckInCommand.self, PolicyCommand.self,
        KeyringCommand.self, FacetCommand.self, DoctorCommand.self, ReportCommand.self, PAMCommand.self,
      ])
  }

  @OptionGroup var conf: ConfigurationOption
}

/// Runs the program, from its arguments to its exit status.
enum Tool {
  /// Parses `arguments`, carries them out, and prints the outcome on the outputs of `context`.
  static func run(_ arguments: [String], in context: ToolContext) -> ToolExit {
    let exit = HelpLanguage.$current.withValue(context.language) { carryOut(arguments, in: context) }
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

  /// Prints the parser's outcome.
  ///
  /// Help, version and completions are results; anything else is a mistake on the command line.
  private static func tell(_ error: any Error, in context: ToolContext) -> ToolExit {
    if Uafctl.exitCode(for: error).isSuccess {
      context.output.result(page(of: error, in: context))
      return .success
    }
    let message = ParserMessage(error, by: Uafctl.self)
    if let unknown = names.unknownCommand(by: message.mistake, after: message.path) {
      context.failure(ToolError.unknownCommand(unknown))
      return .usage
    }
    switch context.language {
    case .english:
      let full = Uafctl.fullMessage(for: error)
      context.output.note(full.hasPrefix(prefix) ? String(full.dropFirst(prefix.count)) : full)
    case .korean: context.output.note(KoreanPage.mistake(message))
    }
    return .usage
  }

  /// The page that the parser was asked to print, in the caller's language.
  private static func page(of error: any Error, in context: ToolContext) -> String {
    switch context.language {
    case .english: wrappingUsage(of: Uafctl.fullMessage(for: error), columns: context.columns)
    case .korean:
      KoreanPage.text(Uafctl.fullMessage(for: error, columns: KoreanPage.unbroken), columns: context.columns)
    }
  }

  /// The parser's page with broken lines of usage: the parser breaks all other lines itself.
  private static func wrappingUsage(of page: String, columns: Int) -> String {
    page.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("USAGE: ") ? TextRows.usage(String(line), columns: columns, hanging: 7) : String(line)
    }.joined(separator: "\n")
  }

  // The text that the parser puts before a mistake on the command line.
  private static let prefix = "Error: "
}

/// The exit status of uafctl, the same as that of uaf-server.
typealias ToolExit = ExitStatus
