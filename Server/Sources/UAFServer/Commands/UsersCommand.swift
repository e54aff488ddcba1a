import ArgumentParser
import UAFAdministration
import UAFMessages
import UAFService

/// `uaf-server users`: lists the accounts.
struct UsersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users",
    abstract: "List the accounts: name, keys, revoked keys, last login, open code, state, reason, person.",
    discussion: """
      With --csv the list has what the server knows about the people instead: display name, mail, department, external \
      ID, groups. 'enrol-list' reads such a list.
      """)

  @OptionGroup var place: AdministrationOptions
  @Option(help: ArgumentHelp("Only accounts whose names begin with this text.", valueName: "text")) var prefix: String?
  @Option(
    help: ArgumentHelp(
      "Only accounts whose name, display name, mail or department contains this text, in any case.", valueName: "text"))
  var search: String?
  @Option(help: ArgumentHelp("Only accounts in this group of people.", valueName: "name")) var memberOf: String?
  @Option(help: "Only accounts in this state.") var only: SearchedState?
  @Option(
    help: ArgumentHelp(
      "Only accounts in this group of the policy in force. Only a running server knows the groups: ask it with --api.",
      valueName: "name"))
  var group: String?
  @Option(
    help: ArgumentHelp(
      "Only accounts whose keys have not been used since this time: 2026-11-23T12:00:00Z, "
        + "2026-11-23, or seconds since 1970.",
      valueName: "time"))
  var idleSince: TypedTime?
  @Flag(help: "Print a list of people as CSV.") var csv = false
  @OptionGroup var json: JSONFlag

  func validate() throws {
    if csv, json.isOn { throw ValidationError("--csv and --json exclude each other.") }
  }

  func run() async throws {
    try await place.link { link in
      let now = Terminal.now
      try await link.forEach(
        APIRequest(.GET, ["accounts"], query: conditions), "accounts",
        begin: {
          if csv {
            Terminal.result(String(PeopleListText.header.dropLast()))
          } else {
            json.title("user\tkeys\trevoked\tlast-login\tenrolment\tstate\treason\tperson")
          }
        }
      ) { account in json.print(account, orElse: csv ? Self.csv(account) : Self.line(account, now: now)) }
    }
  }

  private var conditions: [(name: String, value: String?)] {
    [
      ("search", search), ("memberOf", memberOf), ("prefix", prefix), ("state", only?.rawValue), ("group", group),
      ("idleSince", idleSince.map { String($0.seconds) }),
    ]
  }

  /// The line of an account in a list of people, without its line end.
  static func csv(_ account: JSONObject) -> String {
    var fields: [ProfileField: String] = [:]
    for field in ProfileField.allCases { fields[field] = account.text(field.rawValue) }
    let line = PeopleListText.line(account.text("name") ?? "", fields, groups: account.texts("groups"))
    return String(line.dropLast())
  }

  static func line(_ account: JSONObject, now: Int64) -> String {
    let block = AccountStateChange.block(of: account, now: now)
    let blocked = block.map { $0.integer("until").map { "locked until \(Terminal.time($0))" } ?? "disabled" }
    return [
      account.said("name"), account.number("keys"), account.number("revokedKeys"),
      account.time("lastUsed", orElse: "never"), account.isTrue("hasOpenCode") ? "open" : "-", blocked ?? "active",
      block.map { AuditTextsCommand.text($0.text("reason") ?? "") } ?? "-", account.said("displayName"),
    ].joined(separator: "\t")
  }
}

extension SearchedState: ExpressibleByArgument {}
