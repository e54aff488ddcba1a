import ArgumentParser

/// A subcommand of uafctl.
protocol Subcommand: ParsableCommand {
  /// Does the work.
  ///
  /// - Throws: ``ToolError``.
  func perform(in context: ToolContext) throws(ToolError) -> ToolExit
}
