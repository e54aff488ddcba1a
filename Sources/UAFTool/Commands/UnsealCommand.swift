import ArgumentParser
import UAFWire

/// `uafctl unseal`.
struct UnsealCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "unseal",
    abstract: "Moves the key of this machine from its chip (TPM) into a file; root only.",
    discussion: "Accounts keep working. Do this before the chip is cleared or the mainboard replaced.")
  static let done = ToolText.unsealed

  @OptionGroup var conf: ConfigurationOption

  func request(in context: ToolContext) throws(ToolError) -> Request { Request(.unseal) }
}
