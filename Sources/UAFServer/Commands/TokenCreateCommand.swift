import ArgumentParser
import UAFAdministration
import UAFMessages

/// `uaf-server token create`: makes a token.
struct TokenCreateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a token and print it, once.",
    discussion: "The store has only its hash. A program sends it as 'Authorization: Bearer TOKEN'.")

  /// How long a token is good for unless somebody says otherwise, or its role allows less, in seconds.
  private static let standardLifetime: Int64 = 7_776_000

  @Argument(help: "A name that no token has or had.") var name: String
  @Option(help: "auditor, helpdesk, operator or administrator.") var role: Role
  @OptionGroup var place: AdministrationOptions
  @Option(
    help: ArgumentHelp(
      "Lifetime in seconds, at least 60. At most 366 days for an auditor, 90 for the helpdesk, 30 for an operator, "
        + "7 for an administrator. Default: that maximum, but no more than 90 days.", valueName: "seconds"))
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
      Terminal.note("the line above is shown once; it is good until \(made.time("expires", orElse: "-"))")
    }
  }
}
