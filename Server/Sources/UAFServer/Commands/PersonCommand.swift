import ArgumentParser
import UAFAdministration
import UAFMessages
import UAFService

/// `uaf-server person`: shows what the server knows about the person of an account, or changes it.
struct PersonCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "person", abstract: "Show or change whose account it is: name, mail, department, external ID, groups.",
    discussion: """
      Without an option it only shows. An empty text clears a field: --mail ''. Groups of people give nobody a role, and \
      are not the groups of a policy. Works while the server runs.
      """)

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @Option(help: ArgumentHelp("The person's name in any script.", valueName: "name")) var displayName: String?
  @Option(help: ArgumentHelp("The person's mail address.", valueName: "address")) var mail: String?
  @Option(help: ArgumentHelp("The person's department.", valueName: "name")) var department: String?
  @Option(
    name: .customLong("external-id"),
    help: ArgumentHelp("The person's ID in a directory; no two accounts have the same.", valueName: "id"))
  var externalID: String?
  @Option(
    help: ArgumentHelp(
      "A group of the person, several times for several groups; the person leaves all other groups.",
      valueName: "name"))
  var group: [String] = []
  @Flag(help: "Remove the person from all groups.") var noGroups = false
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
    guard group.isEmpty || !noGroups else { throw ValidationError("--group and --no-groups exclude each other.") }
    do throws(AdministrationRefusal) {
      _ = try ProfileChange(texts, groups: groups)
    } catch {
      guard case .invalid(let field, let rule) = error else { throw ValidationError("\(error).") }
      throw ValidationError("\(Self.option(field)) \(rule).")
    }
  }

  func run() async throws {
    var body = JSONObject()
    for field in ProfileField.allCases { body.set(field.rawValue, texts[field].map(JSONValue.string)) }
    body.set("groups", groups.map { .array($0.map(JSONValue.string)) })
    let request =
      body.members.isEmpty
      ? APIRequest(.GET, ["accounts", user]) : APIRequest(.PATCH, ["accounts", user], body: body)
    try await place.link { [request] link in
      let account = try await link.ask(request)
      json.print(account, orElse: Self.lines(account))
    }
  }

  private var groups: [String]? { noGroups ? [] : group.isEmpty ? nil : group }

  private var texts: [ProfileField: String] {
    let values: [(ProfileField, String?)] = [
      (.displayName, displayName), (.mail, mail), (.department, department), (.externalID, externalID),
    ]
    return Dictionary(values.compactMap { field, text in text.map { (field, $0) } }) { first, _ in first }
  }

  private static func option(_ field: String) -> String {
    switch field {
    case "displayName": "--display-name"
    case "externalID": "--external-id"
    case "groups": "--group"
    default: "--\(field)"
    }
  }

  /// A line for each field, with a tab between its name and its value.
  static func lines(_ account: JSONObject) -> String {
    let groups = account.texts("groups").map { JSONObject.cleaned($0, limit: 128) }
    let rows =
      [("user", account.said("name"))]
      + ProfileField.allCases.map { ($0.rawValue, account.said($0.rawValue, limit: 256)) }
      + [("groups", groups.isEmpty ? "-" : groups.joined(separator: " | "))]
    return rows.map { "\($0.0)\t\($0.1)" }.joined(separator: "\n")
  }
}
