import ArgumentParser

/// `uafctl policy`: what is done with the rules for values, apart from setting one.
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

  /// The same option, which the parser gives to the program wherever it is written.
  private var inherited: String?

  private enum CodingKeys: CodingKey { case file, inherited }

  init() {}

  /// As the parser requires: an option group whose value was read before is decoded as that value.
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
