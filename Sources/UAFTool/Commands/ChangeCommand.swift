import ArgumentParser
import UAFWire

/// `uafctl change`.
struct ChangeCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "change",
    abstract: "Changes a passcode or a pattern.",
    discussion: """
      The old value is asked for first, and a wrong one counts as an attempt; the new one is asked for twice. The \
      registrations stay as they are. Without the old value only a reset helps.
      """)
  static let done = ToolText.changed

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @OptionGroup var names: AuthenticatorArguments

  func request(in context: ToolContext) throws(ToolError) -> Request {
    names.request(.change, in: context)
  }
}
