import UAFWire

/// A subcommand that is one conversation with the core.
protocol CoreCommand: Subcommand {
  /// `--conf`.
  var conf: ConfigurationOption { get }
  /// The text for a success.
  static var done: ToolText { get }
  /// Whether a success is told in the core's words, which say more.
  static var isToldByCore: Bool { get }
  /// The text for a success of `request`, if it depends on the request.
  func done(_ request: Request) -> ToolText
  /// What the core is asked for.
  ///
  /// - Throws: ``ToolError``.
  func request(in context: ToolContext) throws(ToolError) -> Request
}

extension CoreCommand {
  static var isToldByCore: Bool { false }

  func done(_ request: Request) -> ToolText { Self.done }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit { try performInLines(in: context) }

  /// Holds the conversation with the person or script that answers.
  ///
  /// - Throws: ``ToolError``.
  func performInLines(in context: ToolContext) throws(ToolError) -> ToolExit {
    let request = try request(in: context)
    let finished = try call(in: context).hold(request)
    let end = ConversationEnd(finished)
    if request.denies { return end.tellDenial(in: context) }
    guard finished.pamCode == 0 else { return end.tellFailure(in: context) }
    return end.tellSuccess(
      as: done(request), orAsCore: Self.isToldByCore, wantsToken: request.wantsToken, in: context)
  }

  /// The call of the core, with the configuration that was named.
  ///
  /// - Throws: ``ToolError/badArgument(_:)``.
  func call(in context: ToolContext) throws(ToolError) -> CoreCall {
    CoreCall(context: context, configuration: try conf.path(in: context))
  }
}
