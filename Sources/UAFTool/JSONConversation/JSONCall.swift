import TerminalPrompts
import UAFWire

/// A call of the core whose questions a graphical front end asks, which hears of every end in its last line.
struct JSONCall {
  private let context: ToolContext

  /// A payload to be entered is a line of standard input, too, and no question on a terminal.
  init(in context: ToolContext) {
    var context = context
    context.terminal = nil
    self.context = context
  }

  /// Holds the conversation about what `request` makes, over what `call` makes.
  func hold(
    _ request: (ToolContext) throws(ToolError) -> Request, over call: (ToolContext) throws(ToolError) -> CoreCall
  ) -> ToolExit {
    let lines = JSONLines(output: context.output, language: context.language)
    var person = JSONPerson(input: LineInput(descriptor: context.input), lines: lines)
    do throws(ToolError) {
      let request = try request(context)
      let finished = try call(context).hold(request, with: &person)
      lines.finished(finished, wantsToken: request.wantsToken)
      return finished.pamCode == 0 ? .success : ConversationEnd(finished).failureExit
    } catch {
      lines.failure(error)
      return error.exit
    }
  }
}
