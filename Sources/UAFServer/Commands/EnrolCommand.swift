import ArgumentParser
import UAFCrypto
import UAFMessages
import UAFService

/// `uaf-server enrol`: prints a code with which a person can register.
struct EnrolCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol", abstract: "Print a one-time enrolment code, with which a person registers.",
    discussion: "Works while the server runs. An earlier code of the same account is closed.")

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @OptionGroup var state: StateOption
  @Option(help: "Base URL for the client (default: the one 'serve' was last started with).") var server: PublicURL?
  @Option(help: ArgumentHelp("Seconds the code is good for, 1 to 604800.", valueName: "seconds"))
  var lifetime: Int64 = 900

  func validate() throws {
    try Terminal.check(username: user)
    guard (1...604_800).contains(lifetime) else { throw ValidationError("--lifetime must be 1 to 604800 seconds.") }
  }

  func run() async throws {
    let directory = try state.open(create: false)
    let store = try state.openStore(in: directory)
    let now = Terminal.now
    let code = Base64URL.encode(try RandomBytes.make(20))
    let stored = try await store.read { try $0.settings.value(of: .publicURL) }
    let url = server?.text ?? stored ?? "https://127.0.0.1:8443"
    let authority = try CertificateFiles.authority(of: directory, for: url)
    try await store.write { [user, lifetime] records in
      try records.accounts.add(user, now: now)
      try records.enrolments.open(code: code, for: user, expiresAt: now + lifetime)
      try records.audit.append([
        ServerEvents.command(.enrolmentCode, account: user, detail: ["seconds": .integer(lifetime)], now: now)
      ])
    }
    let payload = EnrolmentPayload(
      op: .registration, server: url, username: user, authCode: code, expires: now + lifetime, ca: authority)
    Terminal.result(payload.encoded)
    Terminal.note("the line above lets \(user) register once within \(lifetime) seconds; hand it over in private:")
    Terminal.note("save it to a file and run 'uafctl register --code FILE', or pipe it into '--code -'")
  }
}
