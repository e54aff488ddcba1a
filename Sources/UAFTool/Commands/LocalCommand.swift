/// A subcommand that looks at this machine itself, without the core.
protocol LocalCommand: Subcommand {
  /// `--conf`.
  var conf: ConfigurationOption { get }
}

extension LocalCommand {
  /// The configuration's file.
  ///
  /// - Throws: ``ToolError``: `badArgument`; `onlyRoot` if anybody else chose it.
  func configurationPath(in context: ToolContext) throws(ToolError) -> String? {
    let path = try conf.path(in: context)
    guard path == nil || context.caller.isRoot else { throw .onlyRoot(.chooseConfiguration) }
    return path
  }
}
