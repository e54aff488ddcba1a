import ArgumentParser
import UAFAdministration
import UAFMessages

/// `uaf-server join-code`: manages the codes with which machines join.
struct JoinCodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join-code", abstract: "Make, list and close the codes with which machines join.",
    subcommands: [JoinCodeCreateCommand.self, JoinCodeListCommand.self, JoinCodeCloseCommand.self])
}

/// `uaf-server join-code create`: issues a code with which machines join.
struct JoinCodeCreateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Print a payload with a join code, with which machines join.",
    discussion: """
      The payload names the server, its authority and its verdict keys. Anybody who has it can join machines until \
      the code expires, so hand it over in private, and compare the fingerprint over a different channel. The store \
      has only the code's hash.
      """)

  @OptionGroup var place: AdministrationOptions
  @Option(
    help: ArgumentHelp(
      "Base URL for the machines (default: the URL with which 'serve' was last started).")) var server: PublicURL?
  @Option(help: ArgumentHelp("The group that the machines join.", valueName: "name"))
  var group = MachineGroup.standard
  @Option(help: ArgumentHelp("How many machines may join, 1 to 10000.", valueName: "count")) var machines: Int64 = 1
  @Option(help: ArgumentHelp("How long the code is valid, in seconds, 60 to 2592000.", valueName: "seconds"))
  var lifetime = JoinCodeAdministration.standardLifetime
  @Option(
    help: ArgumentHelp(
      "PEM file of the authority that the machines will trust (default: the server's own, if it has one).",
      valueName: "file"), completion: .file())
  var authority: String?
  @Option(
    help: ArgumentHelp("Write the payload to this new file, readable only by its owner.", valueName: "file"),
    completion: .file())
  var payloadFile: String?
  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard JoinCodeAdministration.counts.contains(machines) else {
      throw ValidationError("--machines must be 1 to 10000.")
    }
    guard JoinCodeAdministration.lifetimes.contains(lifetime) else {
      throw ValidationError("--lifetime must be 60 to 2592000 seconds.")
    }
  }

  func run() async throws {
    var body: JSONObject = [
      "group": .string(group.name), "machines": .integer(machines), "lifetime": .integer(lifetime),
    ]
    body.set("authority", try authority.map { .string(try Self.certificates($0)) })
    try await place.link(server: server) { [body] link in
      try await PayloadFile.filling(payloadFile) { file in
        let issued = try await link.ask(APIRequest(.POST, ["join-codes"], body: body))
        do {
          try show(issued, in: file)
        } catch {
          // The payload could not be shown or written, so the code is closed.
          _ = try? await link.ask(APIRequest(.DELETE, ["join-codes", issued.number("number")]))
          throw error
        }
      }
    }
  }

  private static func certificates(_ path: String) throws -> String {
    guard let bytes = try StateFile.read(path: path, isSecret: false) else {
      throw ServerError.unusableFile(path: path, reason: "no such file")
    }
    try PEMForm.require(bytes, of: path)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Shows the issued code.
  ///
  /// The payload is either printed or written to the file, not both.
  private func show(_ issued: JSONObject, in file: CodeFile?) throws {
    guard let fingerprint = issued.text("fingerprint") else { throw LinkError.unexpected }
    _ = try PayloadFile.show(issued, in: file, json)
    let what = file.map { "the payload in \($0.path)" } ?? "the payload above"
    let count = machines == 1 ? "one machine" : "\(machines) machines"
    let time = Terminal.length(lifetime)
    Terminal.note("\(what) lets \(count) join the group \(group) within \(time); hand it over in private")
    Terminal.note("code \(issued.number("number")); fingerprint of the server: \(fingerprint)")
  }
}

/// `uaf-server join-code list`: lists the join codes that were issued.
struct JoinCodeListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the join codes that were issued: number, group, machines, joined, issuer, when, end, state.",
    discussion: "The newest is first; the codes themselves are never shown. A machine that has left still counts.")

  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      try await link.forEach(
        APIRequest(.GET, ["join-codes"]), "codes",
        begin: { json.title("number\tgroup\tmachines\tjoined\tissued-by\tissued\tend\tstate") }
      ) { json.print($0, orElse: Self.line($0)) }
    }
  }

  static func line(_ code: JSONObject) -> String {
    let state = code.text("state") == "usedUp" ? "used-up" : code.said("state")
    return [
      code.number("number"), code.said("group"), code.number("machines"), code.number("used"), code.said("issuedBy"),
      code.time("issued", orElse: "-"), code.time("expires", orElse: "-"), state,
    ].joined(separator: "\t")
  }
}

/// `uaf-server join-code close`: closes a join code.
struct JoinCodeCloseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "close", abstract: "Close a join code, so that no more machines can join with it.",
    discussion: "The machines that have joined with it stay; 'revoke --device' revokes one of them.")

  @Argument(help: "The code's number, as 'join-code list' shows it.") var number: Int64
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard number > 0 else { throw ValidationError("NUMBER must be the number of a join code.") }
  }

  func run() async throws {
    try await place.link { link in
      _ = try await link.ask(APIRequest(.DELETE, ["join-codes", String(number)]))
      json.print(["number": .integer(number)], orElse: "closed join code \(number)")
    }
  }
}

extension MachineGroup: @retroactive ExpressibleByArgument {
  /// Reads a name.
  public init?(argument: String) { self.init(argument) }
}
