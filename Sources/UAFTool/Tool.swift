import ArgumentParser

/// The program from its arguments to its exit status.
enum Tool {
  /// Parses `arguments`, does what they say, and tells what happened on the outputs of `surroundings`.
  static func run(_ arguments: [String], in surroundings: Surroundings) -> ToolExit {
    do {
      var command = try Uafctl.parseAsRoot(arguments)
      guard let subcommand = command as? any Subcommand else {
        try command.run()
        return .success
      }
      return perform(subcommand, in: surroundings)
    } catch {
      return tell(error, on: surroundings.output)
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

  /// Help and version are results; anything else that parsing ends with is the caller's mistake.
  private static func tell(_ error: any Error, on output: Output) -> ToolExit {
    let message = Uafctl.fullMessage(for: error)
    if Uafctl.exitCode(for: error).isSuccess {
      output.result(message)
      return .success
    }
    let prefix = "Error: "
    output.note(message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message)
    return .usage
  }
}
