import ArgumentParser

/// `uafctl policy`: what is done with the rules for values, apart from setting one.
struct PolicyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Tries the rules for new values.",
    subcommands: [PolicyCheckCommand.self])

  @OptionGroup var conf: ConfigurationOption
}
