import ArgumentParser
import UAFConsole
import UAFMessages

/// `uaf-server enrol`: prints a code with which a person can register.
struct EnrolCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol", abstract: "Print a one-time enrolment code, with which a person registers.",
    discussion: "Works while the server runs. An earlier code of the same account is closed.")

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @OptionGroup var place: AdministrationOptions
  @Option(help: "Base URL for the client (default: the one 'serve' was last started with).") var server: PublicURL?
  @Option(help: ArgumentHelp("Seconds the code is good for, 1 to 604800.", valueName: "seconds"))
  var lifetime: Int64 = 900
  @Flag(help: "Show the code as a QR code of block characters, too.") var qr = false
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
    guard (1...604_800).contains(lifetime) else { throw ValidationError("--lifetime must be 1 to 604800 seconds.") }
  }

  func run() async throws {
    let body: JSONObject = ["account": .string(user), "lifetime": .integer(lifetime)]
    try await place.link(server: server) { link in
      let issued = try await link.ask(APIRequest(.POST, ["enrolment-codes"], body: body))
      guard let payload = issued.text("payload") else { throw LinkError.unexpected }
      json.print(issued, orElse: payload)
      guard !json.isOn else { return }
      if qr, let picture = QRCode(payload) { Terminal.result(picture.terminalText) }
      Terminal.note("the line above lets \(user) register once within \(lifetime) seconds; hand it over in private:")
      try await AccountStateChange.warn(about: user, link)
      if let code = try? EnrolmentPayload(encoded: payload).code {
        Terminal.note("where this server is already configured, the code alone is enough: \(code.text)")
      }
      Terminal.note("save the line to a file and run 'uafctl register --code FILE', or pipe it into '--code -'")
    }
  }
}
