import ArgumentParser
import Glibc
import UAFMessages
import UAFService

/// `uaf-server export`: everything in the store as JSON lines, while the server serves.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write everything that the store holds as JSON, one object in a line.",
    discussion: """
      The file is made new, for its owner alone; '-' writes to standard output. It has no private key: copy verdict.key, \
      verdict.pub, audit.key, audit.pub and decoy.secret of the state folder as well, and never server.secret. It has no open \
      code and no session. That the store was exported is a row of the audit afterwards.
      """)

  @Argument(help: "The file to make, or - for standard output.", completion: .file()) var file: String
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard file != "-" || !json.isOn else { throw ValidationError("Standard output is the export itself: no --json.") }
  }

  func run() async throws {
    let directory = try state.openWithKeys()
    let store = try state.openStoreForExport(in: directory)
    let now = Terminal.now
    let export = StoreExport(store: store, kind: state.store == nil ? "sqlite" : "postgresql", now: now)
    let written =
      file == "-"
      ? try await export.write(to: STDOUT_FILENO)
      : try await ExportFile.make(file) { try await export.write(to: $0) }
    let rows = written.rows
    let event = ServerEvents.command(.storeExport, detail: ["rows": .integer(rows)], now: now)
    try await store.write { try $0.audit.append([event]) }
    guard file != "-" else { return Terminal.note("exported \(rows) rows") }
    json.print(["rows": .integer(rows), "file": .string(file)], orElse: "exported \(rows) rows to \(file)")
  }
}
