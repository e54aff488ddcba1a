import ArgumentParser
import FidoResults
import UAFAdministration
import UAFMessages

/// `uaf-server token`: manages the tokens with which programs use the API.
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Make, list and revoke the tokens with which programs use the API.",
    subcommands: [TokenCreateCommand.self, TokenListCommand.self, TokenRevokeCommand.self])
}

/// `uaf-server token create`: makes a token.
struct TokenCreateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a token and print it, once.",
    discussion: "The store has only its hash. A program sends it as 'Authorization: Bearer TOKEN'.")

  /// The default lifetime of a token in seconds, if its role allows that much.
  private static let standardLifetime: Int64 = 7_776_000

  @Argument(help: "A name that no token has or had.") var name: String
  @Option(help: "auditor, helpdesk, operator, administrator, or provisioning for SCIM only.") var role: Role
  @OptionGroup var place: AdministrationOptions
  @Option(
    help: ArgumentHelp(
      "Lifetime in seconds, at least 60. At most 366 days for an auditor or provisioning, 90 for the helpdesk, 30 for an "
        + "operator, 7 for an administrator. Default: that maximum, but no more than 90 days.", valueName: "seconds"))
  var lifetime: Int64?
  @Option(help: ArgumentHelp("Addresses from which it is accepted; may be repeated.", valueName: "address/bits"))
  var from: [String] = []
  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard from.allSatisfy({ AddressRange(argument: $0) != nil }) else {
      throw ValidationError("--from must be ADDRESS or ADDRESS/BITS.")
    }
  }

  func run() async throws {
    let body: JSONObject = [
      "name": .string(name), "role": .string(role.rawValue),
      "lifetime": .integer(lifetime ?? min(role.longestToken, Self.standardLifetime)),
      "addresses": .array(from.map(JSONValue.string)),
    ]
    try await place.link { link in
      let made = try await link.ask(APIRequest(.POST, ["tokens"], body: body))
      guard let text = made.text("token") else { throw LinkError.unexpected }
      json.print(made, orElse: text)
      Terminal.note("the line above is shown only once; the token is valid until \(made.time("expires", orElse: "-"))")
    }
  }
}

/// `uaf-server token list`: lists the tokens.
struct TokenListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the tokens: name, role, state, end, last use, addresses, maker.")

  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      let tokens = try await link.ask(APIRequest(.GET, ["tokens"])).objects("tokens")
      json.title("name\trole\tstate\tend\tlast-use\taddresses\tby")
      let now = Terminal.now
      for token in tokens { json.print(token, orElse: Self.line(token, now: now)) }
    }
  }

  static func line(_ token: JSONObject, now: Int64) -> String {
    let hasEnded = token.integer("expires").map { $0 <= now } ?? true
    let state = token["revoked"] != nil ? "revoked" : hasEnded ? "expired" : "good"
    let addresses = token.texts("addresses").map { Text.cleaned($0, limit: 64) }
    return [
      token.said("name"), token.said("role"), state, token.time("expires", orElse: "-"),
      token.time("lastUsed", orElse: "never"), addresses.isEmpty ? "-" : addresses.joined(separator: ","),
      token.said("createdBy"),
    ].joined(separator: "\t")
  }
}

/// `uaf-server token revoke`: revokes a token.
struct TokenRevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a token. Its next request is refused.")

  @Argument(help: "The token's name.") var name: String
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in _ = try await link.ask(APIRequest(.DELETE, ["tokens", name])) }
    json.print(["name": .string(name)], orElse: "revoked token \(name)")
  }
}
