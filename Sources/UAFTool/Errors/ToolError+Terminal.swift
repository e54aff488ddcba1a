import TerminalPrompts

extension ToolError {
  /// A failed prompt, as a subcommand reports it.
  init(_ error: TerminalError) {
    self =
      switch error {
      case .failed(let number): .terminalFailed(number)
      case .outOfMemory: .outOfMemory
      }
  }

  /// Does work at a terminal, and reports its failure as a subcommand does.
  ///
  /// - Throws: ``ToolError``: `terminalFailed`, `outOfMemory`.
  static func atTerminal<Value: ~Copyable>(
    _ work: () throws(TerminalError) -> Value
  ) throws(ToolError) -> Value {
    do throws(TerminalError) { return try work() } catch { throw ToolError(error) }
  }
}
