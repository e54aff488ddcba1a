import FidoResults
import TerminalPrompts
import UAFWire

/// A call of the core whose end is one line of JSON, whatever it is; a graphical front end may ask its questions.
struct JSONCall {
  private let context: ToolContext
  private let isAskedInJSON: Bool
  private let answersTogether: Bool

  /// - Parameters:
  ///   - isAskedInJSON: whether a front end asks. A payload to be entered is then a line of standard input, too, and no question
  ///     on a terminal.
  ///   - answersTogether: whether that front end answers several challenges at once.
  init(in context: ToolContext, isAskedInJSON: Bool, answersTogether: Bool) {
    var context = context
    if isAskedInJSON { context.terminal = nil }
    self.context = context
    self.isAskedInJSON = isAskedInJSON
    self.answersTogether = answersTogether
  }

  /// Holds the conversation about what `request` makes, over what `call` makes.
  ///
  /// - Parameter result: what the command makes of an error; nil for what the error itself says.
  func hold(
    _ request: (ToolContext) throws(ToolError) -> Request, over call: (ToolContext) throws(ToolError) -> CoreCall,
    failing result: (ToolError) -> FidoResult? = { _ in nil }
  ) -> ToolExit {
    let lines = JSONLines(in: context)
    do throws(ToolError) {
      let request = try request(context)
      let finished = try hold(request, over: call(context), lines)
      lines.finished(finished, wantsToken: request.wantsToken)
      return ConversationEnd(finished).exit(of: request)
    } catch {
      lines.failure(error, as: result(error))
      return error.exit
    }
  }

  private func hold(_ request: Request, over call: CoreCall, _ lines: JSONLines) throws(ToolError) -> Finished {
    guard isAskedInJSON else { return try call.hold(request) }
    var person = JSONPerson(
      input: LineInput(descriptor: context.input), lines: lines, answersTogether: answersTogether)
    return try call.hold(request, with: &person)
  }
}
