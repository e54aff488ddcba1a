import ArgumentParser
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

  @OptionGroup var state: StateOption
  @Option(help: "Only this account.", completion: AccountCompletion.accounts) var account: String?
  @Option(help: "Only this kind, such as login, registration, revocation.") var kind: String?
  @Option(help: "Only this outcome: ok, or the reason of a refusal.") var outcome: String?
  @Option(help: "Only from this time on.") var since: AuditTime?
  @Option(help: "Only before this time.") var until: AuditTime?
  @Option(help: ArgumentHelp("Only rows with a higher number.", valueName: "number")) var after: Int64 = 0
  @Option(help: ArgumentHelp("How many at most, 1 to 100000.", valueName: "n")) var limit = 100
  @Flag(help: "Print each row as a JSON object, whole.") var json = false

  func validate() throws {
    guard (1...100_000).contains(limit) else { throw ValidationError("--limit must be 1 to 100000.") }
    guard after >= 0 else { throw ValidationError("--after must not be negative.") }
  }

  func run() async throws {
    let store = try state.openStore()
    let filter = AuditFilter(
      after: after, account: account, kind: kind.map { AuditKind(rawValue: $0) }, outcome: outcome,
      since: since?.seconds, until: until?.seconds)
    if !json { Terminal.result(AuditLine.titles) }
    try await AuditPages(store: store, filter: filter).forEach(atMost: limit) { row in
      Terminal.result(json ? AuditLine.json(row) : AuditLine.text(row))
    }
  }
}
