/// A subcommand that looks at this machine itself, without the core.
protocol LocalCommand: Subcommand {
  /// What stands before the subcommand.
  var parent: Uafctl { get }
  /// `--conf`.
  var conf: ConfigurationOption { get }
}

extension LocalCommand {
  /// The configuration's file.
  ///
  /// - Throws: ``ToolError``: `badArgument`; `onlyRoot` if anybody else chose it.
  func configurationPath(in surroundings: Surroundings) throws(ToolError) -> String? {
    let path = try conf.path(or: parent.conf, in: surroundings)
    guard path == nil || surroundings.caller.isRoot else { throw .onlyRoot(.chooseConfiguration) }
    return path
  }
}
