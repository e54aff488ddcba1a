import ArgumentParser

/// `--conf`, an option of the program and of every subcommand: one value, wherever it is written.
struct ConfigurationOption: ParsableArguments {
  @Option(
    name: .customLong("conf"), help: ArgumentHelp("Configuration file; root only.", valueName: "file"),
    completion: .file())
  var file: String?

  /// The file's absolute name: the core has another working directory.
  ///
  /// - Throws: ``ToolError/badArgument(_:)`` for an empty name, or one that no module argument can carry.
  func path(in context: ToolContext) throws(ToolError) -> String? { try Self.path(file, in: context) }

  /// The absolute name of `file`; nil for none.
  ///
  /// - Throws: ``ToolError/badArgument(_:)``, as above.
  static func path(_ file: String?, in context: ToolContext) throws(ToolError) -> String? {
    guard let file else { return nil }
    guard !file.isEmpty, !file.utf8.contains(0) else { throw .badArgument(.confWithoutName) }
    let folder = context.workingDirectory
    let path = straight(file.hasPrefix("/") ? file : folder + "/" + file)
    guard path.utf8.count <= 4000 else { throw .badArgument(.confTooLong) }
    return path
  }

  /// The name without empty, `.` and `..` parts, which are refused in the name of a file of root.
  private static func straight(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part != ".." { parts.append(part) } else if !parts.isEmpty { parts.removeLast() }
    }
    return "/" + parts.joined(separator: "/")
  }
}
