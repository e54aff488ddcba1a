import TerminalPrompts
import UAFWire

/// One call of the core: a fresh connection, one conversation about one request, and the end of it.
struct CoreCall {
  let context: ToolContext
  /// Root's own configuration, absolute, for which a core of its own is started; nil for the machine's.
  let configuration: String?

  /// Holds the conversation about `request` with the person or script that answers.
  ///
  /// - Throws: ``ToolError``.
  func hold(_ request: Request) throws(ToolError) -> Finished {
    if let terminal = context.terminal {
      var person = TerminalPerson(terminal, in: context, configuration: configuration)
      return try hold(request, with: &person)
    }
    var person = LinePerson(
      input: LineInput(descriptor: context.input), output: context.output, language: context.language)
    return try hold(request, with: &person)
  }

  /// Holds the conversation about `request` with `person`.
  ///
  /// - Throws: ``ToolError``.
  func hold(_ request: Request, with person: inout some Person & ~Copyable) throws(ToolError) -> Finished {
    let begin = try context.caller.begin(request, configuration: configuration)
    let core = try context.core.connect(startsOwn: configuration != nil)
    let finished = Result { () throws(ToolError) in
      var conversation = try Conversation()
      return try conversation.hold(begin, over: core.socket, with: &person)
    }
    core.close()
    return try finished.get()
  }
}
