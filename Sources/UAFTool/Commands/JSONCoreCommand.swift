import TerminalPrompts
import UAFWire

/// A conversation with the core that a graphical front end may hold.
protocol JSONCoreCommand: CoreCommand {
  /// `--json-conversation`.
  var json: JSONConversationOption { get }
}

extension JSONCoreCommand {
  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    json.isOn ? holdInJSON(in: surroundings) : try carryOut(try request(in: surroundings), in: surroundings)
  }

  /// Holds the conversation with a graphical front end, which hears of every end in its last line.
  func holdInJSON(in surroundings: Surroundings) -> ToolExit {
    var surroundings = surroundings
    // A payload to be entered is a line of standard input, too, and no question on a terminal.
    surroundings.terminal = nil
    let lines = JSONLines(output: surroundings.output, language: surroundings.language)
    var person = JSONPerson(input: LineInput(descriptor: surroundings.input), lines: lines)
    do throws(ToolError) {
      let request = try request(in: surroundings)
      let finished = try converse(request, with: &person, in: surroundings)
      lines.finished(finished, wantsToken: request.wantsToken)
      return finished.pamCode == 0 ? .success : Outcome.exit(finished)
    } catch {
      lines.failure(error)
      return error.exit
    }
  }
}
