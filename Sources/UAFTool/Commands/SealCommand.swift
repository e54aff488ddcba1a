import ArgumentParser
import UAFWire

/// `uafctl seal`.
struct SealCommand: SealingCommand {
  static let configuration = CommandConfiguration(
    commandName: "seal",
    abstract: "Moves the key of this machine into its chip (TPM); root only.",
    discussion: """
      Accounts keep working. Afterwards only this machine's chip opens the key, or the recovery key. Copies of the key's \
      file that were made before still open it.
      """)
  static let done = ToolText.sealed

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var recovery: RecoveryKeyOption

  func request(in context: ToolContext) throws(ToolError) -> Request { Request(.seal) }
}
