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

  @ParentCommand var parent: Uafctl
  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Argument(
    help: "The account; root only. Your own where it is left out.", completion: Completion.peopleAndTypes)
  var user: String?

  @Argument(
    help: "Authenticator type, such as passcode. Not needed where there is one.", completion: Completion.types)
  var type: String?

  func request(in surroundings: Surroundings) throws(ToolError) -> Request {
    var request = Request(.change)
    let names = Names(user: user, type: type, accounts: surroundings.caller.accounts)
    request.user = names.user
    request.authenticator = names.type
    return request
  }
}
