import ArgumentParser
import Invocation
import UAFCrypto
import UAFMessages
import UAFService

/// `uaf-server approve`: lets a person confirm a text on a machine of theirs.
struct ApproveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve", abstract: "Print a one-time approval code, with which a person confirms a text.",
    discussion: """
      For a login elsewhere that is approved out of band. Works while the server runs; an earlier text of the account that \
      waits is closed. With --wait the command ends when the person has confirmed (0), has denied \
      (\(ExitStatus.denied.rawValue)), or can no longer do either (1). What was confirmed is kept, signature and all: see \
      'audit texts'. What was denied stays so.
      """)

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @Option(help: ArgumentHelp("What the person confirms, at most 200 bytes.", valueName: "text")) var text: String
  @OptionGroup var state: StateOption
  @Option(help: "Base URL for the client (default: the one 'serve' was last started with).") var server: PublicURL?
  @Option(help: ArgumentHelp("Seconds the code is good for, 1 to 3600.", valueName: "seconds"))
  var lifetime: Int64 = 120
  @Flag(help: "Wait until the person has confirmed or denied, or cannot any more.") var wait = false

  func validate() throws {
    try Terminal.check(username: user)
    guard (1...3600).contains(lifetime) else { throw ValidationError("--lifetime must be 1 to 3600 seconds.") }
    // A longer text would be signed as head, tail and hash, and the person's machine would not get all of it.
    guard let shown = TransactionText(sent: text)?.shown, shown.utf8.count <= TransactionText.maximumSigned else {
      throw ValidationError(
        "--text must be 1 to \(TransactionText.maximumSigned) bytes in UTF-8; what is neither ASCII nor a letter that is "
          + "shown counts four for each of its bytes.")
    }
  }

  func run() async throws {
    guard let shown = TransactionText(sent: text)?.shown else { throw ValidationError("--text cannot be shown.") }
    let directory = try state.open(create: false)
    let store = try state.openStore(in: directory)
    let stored = try await store.read { try $0.settings.value(of: .publicURL) }
    let url = server?.text ?? stored ?? "https://127.0.0.1:8443"
    let authority = try CertificateFiles.authority(of: directory, for: url)
    let now = Terminal.now
    let expires = now + lifetime
    let hash = Base64URL.encode(try SHA256.hash(Array(shown.utf8)))
    let code = Base64URL.encode(try RandomBytes.make(20))
    let opened = try await store.write { [user] records -> Int64? in
      guard try records.accounts.exists(user) else { return nil }
      let id = try records.approvals.open(shown, code: code, for: user, expiresAt: expires)
      let detail: JSONObject = ["approval": .integer(id), "text": .string(hash)]
      try records.audit.append([ServerEvents.command(.approvalCode, account: user, detail: detail, now: now)])
      return id
    }
    guard let opened else {
      Terminal.note("no account \(user); 'uaf-server users' lists them")
      throw ExitCode.failure
    }
    let payload = EnrolmentPayload(
      op: .authentication, server: url, username: user, authCode: code, expires: expires, ca: authority)
    Terminal.result(payload.encoded)
    Terminal.note("the line above lets \(user) confirm the text once within \(lifetime) seconds: 'uafctl oob FILE'")
    if wait { try await waitForOutcome(opened, in: store) }
  }

  private func waitForOutcome(_ id: Int64, in store: any ServerStore) async throws {
    while true {
      switch try await store.read({ try $0.approvals.outcome(id: id, now: Terminal.now) }) {
      case .confirmed: return Terminal.note("\(user) has confirmed the text")
      case .denied:
        Terminal.note("\(user) has denied the text")
        throw ExitCode(ExitStatus.denied.rawValue)
      case .closed:
        Terminal.note("nobody has confirmed the text, and nobody can any more")
        throw ExitCode.failure
      case .open: try await Task.sleep(for: .milliseconds(250))
      }
    }
  }
}
