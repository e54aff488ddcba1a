import ArgumentParser
import Invocation

/// The program from its arguments to its exit status.
enum Tool {
  /// Parses `arguments`, does what they say, and tells what happened on the outputs of `surroundings`.
  static func run(_ arguments: [String], in surroundings: Surroundings) -> ToolExit {
    let exit = carryOut(arguments, in: surroundings)
    guard let number = surroundings.output.failure else { return exit }
    surroundings.failure(ToolError.unwritten(number))
    return .unwritten
  }

  private static var names: CommandNames { CommandNames(Uafctl.self, valued: ["--conf"]) }

  private static func carryOut(_ arguments: [String], in surroundings: Surroundings) -> ToolExit {
    if let unknown = names.unknownTopic(in: arguments) {
      surroundings.failure(ToolError.unknownCommand(unknown))
      return .usage
    }
    do {
      var command = try Uafctl.parseAsRoot(arguments)
      guard let subcommand = command as? any Subcommand else {
        try command.run()
        return .success
      }
      return perform(subcommand, in: surroundings)
    } catch {
      return tell(error, in: surroundings)
    }
  }

  private static func perform(_ subcommand: some Subcommand, in surroundings: Surroundings) -> ToolExit {
    do throws(ToolError) {
      return try subcommand.perform(in: surroundings)
    } catch {
      surroundings.failure(error)
      return error.exit
    }
  }

  /// Help, version and completions are results; anything else that parsing ends with is the caller's mistake.
  private static func tell(_ error: any Error, in surroundings: Surroundings) -> ToolExit {
    let full = Uafctl.fullMessage(for: error)
    if Uafctl.exitCode(for: error).isSuccess {
      // One line for each text, so that what is ours is told from what was wrapped.
      let wide = Uafctl.fullMessage(for: error, columns: 100_000)
      let page = surroundings.language == .korean ? KoreanHelpPage(of: wide) : nil
      surroundings.output.result(page?.text(columns: surroundings.columns) ?? full)
      return .success
    }
    let message = ParserMessage(error, by: Uafctl.self)
    if let unknown = names.unknownCommand(by: message.problem, after: message.path) {
      surroundings.failure(ToolError.unknownCommand(unknown))
      return .usage
    }
    switch surroundings.language {
    case .english: surroundings.output.note(full.hasPrefix(prefix) ? String(full.dropFirst(prefix.count)) : full)
    case .korean: surroundings.output.note(KoreanParserMessage.text(message))
    }
    return .usage
  }

  // What the parser puts before a mistake.
  private static let prefix = "Error: "
}
