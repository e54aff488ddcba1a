import UAFWire

/// A subcommand that is one conversation with the core.
protocol CoreCommand: Subcommand {
  /// What stands before the subcommand.
  var parent: Uafctl { get }
  /// `--conf`.
  var conf: ConfigurationOption { get }
  /// What a success is called.
  static var done: String { get }
  /// What the success of `request` is called, where that depends.
  func done(_ request: Request) -> String
  /// What the core is asked for.
  ///
  /// - Throws: ``ToolError``.
  func request(in surroundings: Surroundings) throws(ToolError) -> Request
}

extension CoreCommand {
  func done(_ request: Request) -> String { Self.done }

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

  /// Holds the conversation about `request`.
  ///
  /// - Throws: ``ToolError``.
  func converse(_ request: Request, in surroundings: Surroundings) throws(ToolError) -> Finished {
    let path = try conf.path(or: parent.conf, in: surroundings)
    let begin = try surroundings.caller.begin(request, configuration: path)
    let core = try surroundings.core.connect(startsOwn: path != nil)
    let finished = Result { () throws(ToolError) in try hold(begin, over: core.socket, in: surroundings) }
    core.close()
    return try finished.get()
  }

  private func hold(
    _ begin: Begin, over socket: borrowing PacketSocket, in surroundings: Surroundings
  ) throws(ToolError) -> Finished {
    var conversation = try Conversation(output: surroundings.output)
    if let terminal = surroundings.terminal {
      var person = TerminalPerson(terminal: terminal)
      return try conversation.hold(begin, over: socket, with: &person)
    }
    var person = LinePerson(input: LineInput(descriptor: surroundings.input), output: surroundings.output)
    return try conversation.hold(begin, over: socket, with: &person)
  }
}
