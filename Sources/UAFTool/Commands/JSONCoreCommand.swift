import FidoResults

/// A conversation with the core that a graphical front end may hold.
protocol JSONCoreCommand: CoreCommand {
  /// `--json-conversation`, `--together` and `--json`.
  var json: JSONConversationOption { get }
  /// The result of an error before or beside the core, where the command has one of its own; nil for the error's.
  static func result(of error: ToolError) -> FidoResult?
}

extension JSONCoreCommand {
  static func result(of error: ToolError) -> FidoResult? { nil }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    json.isAny ? performInJSON(in: context) : try performInLines(in: context)
  }

  /// Holds the conversation with a graphical front end, or as ever but for what is printed at the end.
  private func performInJSON(in context: ToolContext) -> ToolExit {
    JSONCall(in: context, isAskedInJSON: json.isOn, answersTogether: json.isTogether).hold(
      { context throws(ToolError) in try request(in: context) },
      over: { context throws(ToolError) in try call(in: context) }, failing: Self.result)
  }
}
