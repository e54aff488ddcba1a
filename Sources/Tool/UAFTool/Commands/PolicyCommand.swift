import ArgumentParser

/// `uafctl policy`: commands about the rules for passcodes.
struct PolicyCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandHelp.policy.configuration("policy", subcommands: [PolicyCheckCommand.self])
  }

  @OptionGroup var conf: ConfigurationOption
}

/// `uafctl policy check`.
struct PolicyCheckCommand: Subcommand {
  static var configuration: CommandConfiguration { CommandHelp.policyCheck.configuration("check") }

  @Option(name: .customLong("conf"), help: .text(.ownConfigurationFile, valueName: "file"), completion: .file())
  var file: String?

  /// The program's own `--conf`: the parser may assign the option to the program, wherever it is written.
  private var inherited: String?

  private enum CodingKeys: CodingKey { case file, inherited }

  init() {}

  /// Required by the parser, which decodes an option group that was read before as that value.
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
