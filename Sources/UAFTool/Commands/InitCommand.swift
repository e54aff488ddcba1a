import ArgumentParser
import UAFWire

/// `uafctl init`.
struct InitCommand: SealingCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Makes the key of this machine, once; root only.",
    discussion: """
      The configuration's [tpm] decides whether a chip seals it. A recovery key opens it without the chip, on another \
      mainboard for example.
      """)
  static let done = ToolText.initialised

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var recovery: RecoveryKeyOption

  /// The core says nothing where it has made nothing.
  func done(_ request: Request, _ finished: Finished) -> ToolText {
    finished.text == nil ? .initialisedBefore : Self.done
  }

  func request(in context: ToolContext) throws(ToolError) -> Request { Request(.initialise) }
}
