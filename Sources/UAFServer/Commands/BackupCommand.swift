import ArgumentParser
import UAFMessages
import SQLiteStore
import UAFService

/// `uaf-server backup`: copies everything that a server needs into a new folder, while it serves.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy store, keys and certificate into a new folder, while the server serves.",
    discussion: """
      The folder is for its owner alone, and holds the key that signs verdicts: keep it as the state folder itself. \
      With --store it holds the files alone: back up the database with pg_dump, after this. \
      A copy of server.db made by 'cp' while the server serves may not open, or lack the last logins.
      """)

  @Argument(help: "The folder to make.", completion: .directory) var folder: String
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func run() async throws {
    let directory = try state.openWithKeys()
    let store = try state.openStore(in: directory)
    let now = Terminal.now
    let made = try ServerBackup.make(of: directory, store as? SQLiteStore, in: folder, now: now)
    try await store.write { try $0.audit.append([ServerEvents.command(.backup, now: now)]) }
    let size = made.files.reduce(0) { $0 + $1.size }
    json.print(
      ["files": .integer(Int64(made.files.count)), "bytes": .integer(Int64(size)), "folder": .string(folder)],
      orElse: "saved \(made.files.count) files, \(size) bytes, in \(folder)")
    if state.store != nil { Terminal.note("the database of --store is not in it: back it up with pg_dump now") }
  }
}
