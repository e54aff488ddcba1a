import ArgumentParser
import Invocation
import UAFMessages

/// `uaf-server approve`: lets a person confirm a text on one of their machines.
struct ApproveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve", abstract: "Print a one-time approval code, with which a person confirms a text.",
    discussion: """
      Use it for a login to a different system that is approved out of band. The person reads `Asked of USER by root \
      at the server:` before the text. The command works while the server runs. An earlier text that waits for the \
      account is closed. With --wait the command ends when the person has confirmed (0), has denied \
      (\(ExitStatus.denied.rawValue)), or can no longer do either (1). The server keeps the confirmed text with its \
      signature: see 'audit texts'. A denial is final.
      """)

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @Option(
    help: ArgumentHelp(
      "What the person confirms; at most 200 bytes, including the words that say who asks.", valueName: "text"))
  var text: String
  @OptionGroup var place: AdministrationOptions
  @Option(
    help: ArgumentHelp(
      "Base URL for the client (default: the URL with which 'serve' was last started).")) var server: PublicURL?
  @Option(help: ArgumentHelp("How long the code is valid, in seconds, 1 to 3600.", valueName: "seconds"))
  var lifetime: Int64 = 120
  @OptionGroup var json: JSONFlag
  @Flag(help: "Wait until the person has confirmed or denied, or can no longer do so.") var wait = false

  func validate() throws {
    try Terminal.check(username: user)
    guard (1...3600).contains(lifetime) else { throw ValidationError("--lifetime must be 1 to 3600 seconds.") }
    // Of a longer text only beginning, end and hash would be signed, and the person's machine would not receive all of it.
    guard let shown = TransactionText(sent: text)?.shown, shown.utf8.count <= TransactionText.maximumSigned else {
      throw ValidationError(
        "--text must be 1 to \(TransactionText.maximumSigned) bytes in UTF-8; each byte of a character that cannot "
          + "be shown counts as four.")
    }
  }

  func run() async throws {
    let body: JSONObject = [
      "account": .string(user), "text": .string(text), "lifetime": .integer(lifetime),
    ]
    try await place.link(server: server) { link in
      let issued = try await link.ask(APIRequest(.POST, ["approvals"], body: body))
      guard let payload = issued.text("payload"), let number = issued.integer("number") else {
        throw LinkError.unexpected
      }
      json.print(issued, orElse: payload)
      let time = Terminal.length(lifetime)
      Terminal.note("the line above lets \(user) confirm the text once within \(time): 'uafctl oob FILE'")
      try await AccountStateChange.warn(about: user, link)
      if wait { try await waitForOutcome(number, link) }
    }
  }

  private func waitForOutcome(_ number: Int64, _ link: any AdministrationLink) async throws {
    while true {
      switch try await outcome(number, link) {
      case "confirmed": return Terminal.note("\(user) has confirmed the text")
      case "denied":
        Terminal.note("\(user) has denied the text")
        throw ExitCode(ExitStatus.denied.rawValue)
      case "open": try await Task.sleep(for: .milliseconds(250))
      default:
        Terminal.note("nobody has confirmed the text, and nobody can do so any more")
        throw ExitCode.failure
      }
    }
  }

  /// The outcome of a text; nil if the text was closed before anybody answered.
  private func outcome(_ number: Int64, _ link: any AdministrationLink) async throws -> String? {
    do {
      return try await link.ask(APIRequest(.GET, ["approvals", String(number)])).text("outcome")
    } catch let problem as Problem where problem.status == .notFound {
      return nil
    }
  }
}
