import ArgumentParser
import UAFAdministration
import UAFMessages

/// `uaf-server admin`: manages who may administer the server.
struct AdminCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "Say who may administer the server.",
    subcommands: [AdminAddCommand.self, AdminListCommand.self, AdminRemoveCommand.self])
}

/// `uaf-server admin add`: makes an account's person an administrator.
struct AdminAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Let the person who has an account administer the server, or give them another role.",
    discussion: """
      auditor reads; helpdesk issues codes; operator revokes keys, manages accounts and opens texts; administrator \
      does everything. Only administrators may change privileged accounts or issue codes for them.

      A key counts in the console if its code was issued with an administrator's signature, or on the server. If the \
      account has other keys, they are listed with the issuers of their codes, and the role is not given until you \
      decide: --count-key for each key that will count, or --count-none.
      """)

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @Argument(help: "auditor, helpdesk, operator or administrator.") var role: Role
  @OptionGroup var place: AdministrationOptions
  @Option(
    help: ArgumentHelp(
      "A key that counts from now on: AAID, a space, KeyID; or passkey, a space, identifier. May be repeated.",
      valueName: "key"))
  var countKey: [String] = []
  @Flag(help: "Let none of the keys count that do not count yet.") var countNone = false
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
    guard countKey.isEmpty || !countNone else { throw ValidationError("--count-none excludes --count-key.") }
  }

  func run() async throws {
    try await place.link { link in
      if countKey.isEmpty, !countNone { try await requireNoOthers(link) }
      var body: JSONObject = ["role": .string(role.rawValue)]
      if !countKey.isEmpty { body.set("keys", .array(countKey.map(JSONValue.string))) }
      _ = try await link.ask(APIRequest(.PUT, ["administrators", user], body: body))
    }
    json.print(
      ["name": .string(user), "role": .string(role.rawValue)], orElse: "\(user) has the role \(role.rawValue)")
  }

  /// Refuses to continue if the account has keys that are not accepted for the steps of administrators, and lists them.
  ///
  /// - Throws: ``Problem`` if there are such keys.
  private func requireNoOthers(_ link: any AdministrationLink) async throws {
    let keys = try await link.ask(APIRequest(.GET, ["accounts", user, "keys"])).objects("keys")
    let passkeys = try await link.ask(APIRequest(.GET, ["accounts", user, "passkeys"])).objects("passkeys")
    let all =
      keys.map { (name: "\($0.said("aaid")) \($0.said("keyID"))", key: $0) }
      + passkeys.map { (name: "passkey \($0.said("id"))", key: $0) }
    let others = all.filter { $0.key["revoked"] == nil && !$0.key.isTrue("counts") }
    guard !others.isEmpty else { return }
    for (name, key) in others {
      Terminal.note("\(name): code issued by \(key["issuedBy"] == nil ? "somebody unknown" : key.said("issuedBy"))")
    }
    throw Problem(
      .conflict, "conflict", "\(user) has keys that do not count: choose keys with --count-key, or use --count-none")
  }
}

/// `uaf-server admin list`: lists the administrators.
struct AdminListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the administrators: name, role, when and by whom they were added.")

  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      let all = try await link.ask(APIRequest(.GET, ["administrators"])).objects("administrators")
      json.title("name\trole\tadded\tby")
      for one in all {
        let line = [one.said("name"), one.said("role"), one.time("added", orElse: "-"), one.said("addedBy")]
        json.print(one, orElse: line.joined(separator: "\t"))
      }
    }
  }
}

/// `uaf-server admin remove`: takes the role from an administrator.
struct AdminRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take the role from an administrator; their account stays.")

  @Argument(help: "The account's name at this server.") var user: String
  @OptionGroup var place: AdministrationOptions
  @Flag(help: "Remove even the last administrator.") var force = false
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
    // `--force` can remove the last administrator. After that, only somebody with access to the state folder can add one, so it
    // requires that access too.
    guard !force || place.isLocal else { throw ValidationError("--force needs --state.") }
  }

  func run() async throws {
    try await place.link { link in
      if force, let local = link as? LocalLink {
        try await local.removeAdministrator(user)
      } else {
        _ = try await link.ask(APIRequest(.DELETE, ["administrators", user]))
      }
    }
    json.print(["name": .string(user)], orElse: "\(user) is no longer an administrator")
  }
}

extension Role: ExpressibleByArgument {}
