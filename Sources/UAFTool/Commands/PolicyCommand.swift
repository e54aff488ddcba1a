import ArgumentParser

/// `uafctl policy`: what is done with the rules for values, apart from setting one.
struct PolicyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Tries the rules for new values.",
    subcommands: [PolicyCheckCommand.self])

  @OptionGroup var conf: ConfigurationOption
}

/// `uafctl policy check`.
struct PolicyCheckCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Tries a value against the rules for passcodes, without setting it.",
    discussion: """
      The value is asked for on the terminal without showing it, or is the first line of standard input. The exit status \
      is 0 if it would be accepted; 1 if not, with one line for each problem that begins with the rule's key; 2 or \
      more for anything else, such as a configuration that cannot be used. Where root follows the server, the rules of the \
      policy in force count as well, and a problem says that it comes from there; if the core cannot tell them, a value \
      without other problems ends with 3. Nothing is stored or sent, and root is not needed: whoever is not root may try a \
      file of his own, by itself. Root is told, too, for whom the lock options of the file do not hold yet because of wrong \
      entries.
      """)

  @Option(
    name: .customLong("conf"), help: ArgumentHelp("Configuration file; root's or your own.", valueName: "file"),
    completion: .file())
  var file: String?

  /// The same, which the parser gives to the program wherever it stands.
  private var inherited: String?

  private enum CodingKeys: CodingKey { case file, inherited }

  init() {}

  /// As the parser wants it: an option group whose value was read before is decoded as that value.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    _file = try values.decode(Option<String?>.self, forKey: .file)
    inherited = try values.decode(OptionGroup<ConfigurationOption>.self, forKey: .inherited).wrappedValue.file
  }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let path = try ConfigurationOption.path(file ?? inherited, in: context)
    return try ValueTrial(PolicySource(path, in: context), in: context).run()
  }
}
