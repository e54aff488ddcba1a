import ArgumentParser
import UAFMessages
import UAFService

/// `uaf-server audit export`: the audit as JSON, from any row on.
struct AuditExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print the rows after a number as JSON, one object in a line.",
    discussion: """
      To go on later, give the last number that was printed after --after. Each row has its hash, so the chain can be \
      checked elsewhere. That rows were exported is a row as well, unless they are about exports alone.
      """)

  @OptionGroup var state: StateOption
  @Option(help: ArgumentHelp("The number after which to begin.", valueName: "number")) var after: Int64 = 0

  func validate() throws {
    guard after >= 0 else { throw ValidationError("--after must not be negative.") }
  }

  func run() async throws {
    let store = try state.openStore()
    var (last, isWorthARow) = (after, false)
    try await AuditPages(store: store, filter: AuditFilter(after: after)).forEach { row in
      Terminal.result(AuditLine.json(row))
      last = row.number
      if row.event.kind != .export { isWorthARow = true }
    }
    // What could not be printed was not exported; the program ends with that error.
    guard isWorthARow, Terminal.failure == nil else { return }
    let detail: JSONObject = ["after": .integer(after), "through": .integer(last)]
    let event = ServerEvents.command(.export, detail: detail, now: Terminal.now)
    try await store.write { try $0.audit.append([event]) }
  }
}
