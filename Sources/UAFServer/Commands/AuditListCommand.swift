import ArgumentParser
import UAFMessages
import UAFService

/// `uaf-server audit list`: rows of the audit.
struct AuditListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what happened, oldest first.",
    discussion: """
      One line each, tab-separated: number, time, kind, outcome, account, actor, address, machine, authenticators, detail; \
      '-' where a row does not say. What a machine says of itself is not verified. A time is 2026-11-23T12:00:00Z, \
      2026-11-23, or seconds since 1970. For the next page, give the last number after --after.
      """)

  @OptionGroup var place: AdministrationOptions
  @Option(help: "Only this account.", completion: AccountCompletion.accounts) var account: String?
  @Option(help: "Only this kind, such as login, registration, revocation.") var kind: String?
  @Option(help: "Only this outcome: ok, or the reason of a refusal.") var outcome: String?
  @Option(help: "Only this machine, by its column.") var machine: String?
  @Option(help: ArgumentHelp("Only rows with these words in a text, whatever the letters' sizes.", valueName: "text"))
  var words: String?
  @Option(
    name: .customLong("not"),
    help: ArgumentHelp(
      "Only rows that do not meet this condition: account, kind, outcome, machine, words; may be repeated.",
      valueName: "condition"))
  var negated: [AuditField] = []
  @Option(help: "Only from this time on.") var since: TypedTime?
  @Option(help: "Only before this time.") var until: TypedTime?
  @Option(help: ArgumentHelp("Only rows with a higher number.", valueName: "number")) var after: Int64 = 0
  @Option(help: ArgumentHelp("How many at most, 1 to 100000.", valueName: "n")) var limit = 100
  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard (1...100_000).contains(limit) else { throw ValidationError("--limit must be 1 to 100000.") }
    guard after >= 0 else { throw ValidationError("--after must not be negative.") }
  }

  func run() async throws {
    let not = negated.isEmpty ? nil : negated.map(\.rawValue).joined(separator: ",")
    let conditions = [
      ("account", account), ("kind", kind), ("outcome", outcome), ("machine", machine), ("words", words), ("not", not),
      ("since", since.map { String($0.seconds) }), ("until", until.map { String($0.seconds) }), ("order", "oldest"),
    ]
    try await place.link { link in
      let request = APIRequest(.GET, ["audit"], query: conditions.map { (name: $0.0, value: $0.1) })
      try await link.forEach(
        request, "rows", after: String(after), atMost: limit, begin: { json.title(AuditLine.titles) }
      ) { row in json.print(row, orElse: AuditLine.text(row)) }
    }
  }
}
