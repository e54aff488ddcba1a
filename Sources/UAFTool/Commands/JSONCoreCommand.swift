/// A conversation with the core that a graphical front end may hold.
protocol JSONCoreCommand: CoreCommand {
  /// `--json-conversation`.
  var json: JSONConversationOption { get }
}

extension JSONCoreCommand {
  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    json.isOn ? performInJSON(in: context) : try performInLines(in: context)
  }

  /// Holds the conversation with a graphical front end.
  func performInJSON(in context: ToolContext) -> ToolExit {
    JSONCall(in: context).hold(
      { context throws(ToolError) in try request(in: context) },
      over: { context throws(ToolError) in try call(in: context) })
  }
}
