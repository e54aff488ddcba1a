import ArgumentParser
import UAFMessages

/// `uaf-server machines`: lists the machines of the fleet.
struct MachinesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "machines",
    abstract: """
      List the machines of the fleet: device id, name, model, system, people, keys, revoked keys, last login, group, \
      joined, left, last report, package, policy, standing locks, when a copy was seen.
      """,
    discussion: """
      What a machine reports about itself is not verified; '-' stands for a missing value. Machines that have joined \
      with a code are listed even without a key; a revoked machine is listed as one that has left. The last five \
      columns come from the reports of a joined machine; a time in the last column means that two machines had \
      this machine's state, or that an older state of it was restored.
      """)

  @OptionGroup var place: AdministrationOptions
  @Option(
    help: ArgumentHelp(
      "Only joined machines, seen in the last 30 days, that lack this key (id) or authority (fingerprint of 'keys status').",
      valueName: "name"))
  var lacks: String?
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      try await link.forEach(
        APIRequest(.GET, ["machines"], query: [("lacks", lacks)]), "machines",
        begin: { json.title(Self.title) }
      ) { json.print($0, orElse: Self.line($0)) }
    }
  }

  private static let title =
    "device\tname\tmodel\tsystem\tpeople\tkeys\trevoked\tlast-login\tgroup\tjoined\tleft\tlast-report\tpackage\tpolicy"
    + "\tlocks\tcopy-seen"

  static func line(_ machine: JSONObject) -> String {
    let said = ["device", "name", "model", "system"].map { machine.said($0) }
    let numbers = ["people", "keys", "revokedKeys"].map { machine.number($0) }
    let joining = [machine.said("group"), machine.time("joined", orElse: "-"), machine.time("left", orElse: "-")]
    let used = [machine.time("lastUsed", orElse: "never")]
    return (said + numbers + used + joining + told(machine)).joined(separator: "\t")
  }

  /// The columns with a machine's report about itself; '-' for each if it has sent no report.
  private static func told(_ machine: JSONObject) -> [String] {
    let policy: String = if case .integer(let version)? = machine["policy"] { String(version) } else { "-" }
    return [
      machine.time("lastContact", orElse: "-"), machine.said("module"), policy, locks(machine),
      machine.time("copySeen", orElse: "-"),
    ]
  }

  private static func locks(_ machine: JSONObject) -> String {
    guard case .array(let named)? = machine["locks"] else { return "-" }
    let more: Int64 = if case .integer(let number)? = machine["moreLocks"] { number } else { 0 }
    return String(Int64(named.count) + more)
  }
}

/// `uaf-server devices`: lists the machines of an account.
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the machines of an account: name, model, system, keys, revoked keys, registration, last login.",
    discussion: """
      Name, model and system are what the machine reported about itself when it registered; '-' stands for a missing \
      value. The most recently used machine is first.
      """)

  @Argument(help: "The account's name at this server.") var user: String
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
  }

  func run() async throws {
    try await place.link { link in
      let found = try await link.ask(APIRequest(.GET, ["accounts", user, "machines"]))
      json.title("name\tmodel\tsystem\tkeys\trevoked\tregistered\tlast-login")
      for device in found.objects("machines") { json.print(device, orElse: Self.line(device)) }
    }
  }

  static func line(_ device: JSONObject) -> String {
    let said = ["name", "model", "system"].map { device.said($0) }
    let numbers = ["keys", "revokedKeys"].map { device.number($0) }
    let times = [device.time("registered", orElse: "-"), device.time("lastUsed", orElse: "never")]
    return (said + numbers + times).joined(separator: "\t")
  }
}

/// `uaf-server revoke`: revokes keys.
struct RevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke keys of an account, or all keys on one machine.",
    discussion: """
      Without --key and --device all keys of the account are revoked, and its codes closed. With --device and without \
      USER the keys of everybody on that machine are revoked, for example after it was lost, and so is its \
      membership; 'machines' lists device ids.
      """)

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String?
  @OptionGroup var place: AdministrationOptions
  @Option(
    help: ArgumentHelp("Only this key: AAID, a space, KeyID; or passkey, a space, identifier.", valueName: "key"))
  var key: String?
  @Option(help: ArgumentHelp("Only keys on the machine with this device id.", valueName: "id")) var device: String?
  @Option(help: ArgumentHelp("Why, for the audit; at most 500 bytes.", valueName: "text")) var reason: String?
  @OptionGroup var json: JSONFlag

  func validate() throws {
    if let user { try Terminal.check(username: user) }
    guard user != nil || device != nil else { throw ValidationError("Give USER, or a machine with --device.") }
    guard key == nil || user != nil, key == nil || device == nil else {
      throw ValidationError("--key needs USER, and cannot be combined with --device.")
    }
  }

  func run() async throws {
    let path = user.map { ["accounts", $0] } ?? ["machines", device ?? ""]
    var body: JSONObject = [:]
    body.set("key", key.map(JSONValue.string))
    body.set("device", user == nil ? nil : device.map(JSONValue.string))
    body.set("reason", reason.map(JSONValue.string))
    try await place.link { [body] link in
      let done = try await link.ask(APIRequest(.POST, path + ["revocations"], body: body))
      let count = done.number("revoked")
      let whose = user ?? "machine \(device ?? "")"
      json.print(done, orElse: "revoked \(count) key\(count == "1" ? "" : "s") of \(whose)")
    }
  }
}
