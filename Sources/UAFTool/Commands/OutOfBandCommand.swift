import ArgumentParser

/// `uafctl oob`.
struct OutOfBandCommand: JSONCoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "oob",
    abstract: "Does what a code asks for: registers, or approves or denies a login elsewhere.",
    discussion: """
      A code is one line, as a server prints it or a QR picture holds it. What it asks for stands in the code \
      itself. Other people see command lines: the line itself is taken there only if its server is this machine, as in \
      a demonstration. Whoever cancels an approval leaves it open until its time is over; --deny ends it.
      """)
  static let done = ToolText.approved

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var json: JSONConversationOption

  @Flag(help: "Print the server's token.")
  var token = false

  @Flag(help: "Deny what the code asks to have approved, for good; nothing is asked.")
  var deny = false

  @Argument(
    help: ArgumentHelp("File with the code; - for standard input, or to be asked for it.", valueName: "code"),
    completion: .file())
  var payload: String

  @Argument(
    help: "The account; root only. Your own where it is left out.", completion: MachineCompletion.people)
  var user: String?

  func validate() throws {
    if deny, token { throw ValidationError(UsageMistake.denyAndToken.english) }
  }

  func request(in context: ToolContext) throws(ToolError) -> Request {
    let line = try PayloadSource(outOfBand: payload).read(in: context, asking: .oneTimeCode)
    var request = try OutOfBandCode(line).request(for: user, denies: deny)
    request.wantsToken = token
    return request
  }

  /// The text depends on the code.
  func done(_ request: Request) -> ToolText { request.operation == .register ? .registered : .approved }
}
