import ArgumentParser
import UAFAdministration
import UAFMessages

/// `uaf-server unlock`: issues an unlock for an account on one machine.
struct GiveUnlockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Print an unlock for an account on one machine, which works once.",
    discussion: """
      'uafctl unlock --code' asks for the 24 characters, and 'uafctl unlock --payload FILE' reads the line below \
      them; neither needs a network. Both are the same unlock. It logs nobody in. The store keeps only an audit row \
      of it.
      """)

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @Option(
    help: ArgumentHelp(
      "The machine's device id ('machines' lists them), or the KeyID of a key on it.", valueName: "id"))
  var machine: String
  @OptionGroup var place: AdministrationOptions
  @Option(help: ArgumentHelp("How long the unlock is valid, in seconds, 300 to 604800.", valueName: "seconds"))
  var lifetime = UnlockAdministration.standardLifetime
  @Option(help: ArgumentHelp("Why, for the audit; at most 500 bytes.", valueName: "text")) var reason: String?
  @Option(
    help: ArgumentHelp("Write the payload to this new file, readable only by its owner.", valueName: "file"),
    completion: .file())
  var payloadFile: String?
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
    guard UnlockStatement.lifetimes.contains(lifetime) else {
      throw ValidationError("--lifetime must be 300 to 604800 seconds.")
    }
  }

  func run() async throws {
    var body: JSONObject = ["machine": .string(machine), "lifetime": .integer(lifetime)]
    body.set("reason", reason.map(JSONValue.string))
    try await place.link { [body] link in
      try await PayloadFile.filling(payloadFile) { file in
        try show(try await link.ask(APIRequest(.POST, ["accounts", user, "unlocks"], body: body)), in: file)
      }
    }
  }

  /// Shows the issued unlock.
  ///
  /// The payload is either printed or written to the file, not both.
  private func show(_ issued: JSONObject, in file: CodeFile?) throws {
    guard let payload = issued.text("payload"), case .array(let list)? = issued["codes"] else {
      throw LinkError.unexpected
    }
    let codes = list.compactMap { entry -> (machine: String, code: String)? in
      guard case .object(let object) = entry, let machine = object.text("machine"), let code = object.text("code")
      else { return nil }
      return (machine, code)
    }
    var shown = issued
    var lines = codes.map { codes.count == 1 ? $0.code : "\($0.code)  \($0.machine)" }
    if let file {
      try file.add(payload + "\n")
      shown = JSONObject()
      for member in issued.members where member.name != "payload" { shown.set(member.name, member.value) }
    } else {
      lines.append(payload)
    }
    json.print(shown, orElse: lines.joined(separator: "\n"))
    tell(codes.count, in: file)
  }

  private func tell(_ count: Int, in file: CodeFile?) {
    let what = file.map { "the payload in \($0.path)" } ?? "the payload"
    switch count {
    case 0: Terminal.note("no code can be typed on that machine; \(what) unlocks \(user) on that machine once")
    case 1: Terminal.note("the code or \(what) unlocks \(user) on that machine once")
    default:
      Terminal.note("one of the codes, or \(what), unlocks \(user) on that machine once")
      Terminal.note("after a wrong code the machine shows a name; use the code with that name above")
    }
    Terminal.note("within \(Terminal.length(lifetime)); give it only to that person")
  }
}
