import ArgumentParser
import UAFWire

/// `uafctl recover`.
struct RecoverCommand: CoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Opens the key of this machine with its recovery key; root only.",
    discussion: """
      For a chip that was cleared, replaced or lost. The chip that is there now seals the key; with use = "off" in [tpm] it \
      goes into a file. Accounts keep working.
      """)
  static let done = ToolText.recovered

  @OptionGroup var conf: ConfigurationOption

  @Option(
    name: .customLong("recovery-key"),
    help: ArgumentHelp("File with the words; without it they are asked for.", valueName: "file"), completion: .file())
  var file: String?

  func request(in context: ToolContext) throws(ToolError) -> Request { Request(.recover) }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    guard let path = try ConfigurationOption.path(file, in: context) else { return try performInLines(in: context) }
    var person = RecoveryPerson(try RecoveryKeyFile.read(path), telling: context.output)
    let finished = try call(in: context).hold(try request(in: context), with: &person)
    let end = ConversationEnd(finished)
    return finished.pamCode == 0 ? end.tellSuccess(as: Self.done, in: context) : end.tellFailure(in: context)
  }
}
