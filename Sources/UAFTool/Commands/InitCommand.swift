import ArgumentParser
import UAFWire

/// `uafctl init`.
struct InitCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Makes the key of this machine, once; root only.")
  static let done = ToolText.initialised

  @OptionGroup var conf: ConfigurationOption

  func request(in context: ToolContext) throws(ToolError) -> Request { Request(.initialise) }
}
