import TerminalPrompts
import UAFWire

/// A subcommand that is one conversation with the core.
protocol CoreCommand: Subcommand {
  /// What stands before the subcommand.
  var parent: Uafctl { get }
  /// `--conf`.
  var conf: ConfigurationOption { get }
  /// What a success is called.
  static var done: ToolText { get }
  /// What the success of `request` is called, where that depends.
  func done(_ request: Request) -> ToolText
  /// What the core is asked for.
  ///
  /// - Throws: ``ToolError``.
  func request(in surroundings: Surroundings) throws(ToolError) -> Request
}

extension CoreCommand {
  func done(_ request: Request) -> ToolText { Self.done }

  func perform(in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    try carryOut(try request(in: surroundings), in: surroundings)
  }

  /// Has the core do what `request` asks for, and tells how it went.
  ///
  /// - Throws: ``ToolError``.
  func carryOut(_ request: Request, in surroundings: Surroundings) throws(ToolError) -> ToolExit {
    let finished = try converse(request, in: surroundings)
    guard finished.pamCode == 0 else { return Outcome.tell(finished, in: surroundings) }
    return Outcome.tell(success: finished, as: done(request), wantsToken: request.wantsToken, in: surroundings)
  }

  /// Holds the conversation about `request` with whoever sits there.
  ///
  /// - Throws: ``ToolError``.
  func converse(_ request: Request, in surroundings: Surroundings) throws(ToolError) -> Finished {
    if let terminal = surroundings.terminal {
      let path = try conf.path(or: parent.conf, in: surroundings)
      var person = TerminalPerson(terminal, in: surroundings, configuration: path)
      return try converse(request, with: &person, in: surroundings)
    }
    var person = LinePerson(
      input: LineInput(descriptor: surroundings.input), output: surroundings.output, language: surroundings.language)
    return try converse(request, with: &person, in: surroundings)
  }

  /// Holds the conversation about `request` with `person`.
  ///
  /// - Throws: ``ToolError``.
  func converse(
    _ request: Request, with person: inout some Person & ~Copyable, in surroundings: Surroundings
  ) throws(ToolError) -> Finished {
    let path = try conf.path(or: parent.conf, in: surroundings)
    let begin = try surroundings.caller.begin(request, configuration: path)
    let core = try surroundings.core.connect(startsOwn: path != nil)
    let finished = Result { () throws(ToolError) in
      var conversation = try Conversation()
      return try conversation.hold(begin, over: core.socket, with: &person)
    }
    core.close()
    return try finished.get()
  }
}
