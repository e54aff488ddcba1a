import ArgumentParser
import UAFMessages
import UAFService

/// `uaf-server restore`: makes a state folder from a backup.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Make a new state folder from a backup.",
    discussion: """
      The state folder must be empty, or not there: stop the server, and move the old one away. With --store, bring the \
      database back first (pg_restore). The server gets a new secret for session data, and all open codes are closed, \
      so nothing that was used since the backup can be used again. What was revoked since then is not revoked any more: \
      revoke it again.
      """)

  @Argument(help: "The folder that 'uaf-server backup' made.", completion: .directory) var folder: String
  @OptionGroup var state: StateOption

  func run() async throws {
    let backup = try ServerBackup.check(folder)
    guard state.store != nil || backup.manifest.files.contains(where: { $0.name == "server.db" }) else {
      throw ServerError.unusableBackup(folder, .withoutStore)
    }
    let (now, madeAt) = (Terminal.now, backup.manifest.madeAt)
    try await ServerBackup.restore(backup, to: state.directory) { directory in
      try await state.openStore(in: directory).write { records in
        try records.enrolments.closeAll()
        try records.approvals.closeAll()
        try records.openRegistrations.removeAll()
        try records.settings.set(.restoredAt, to: String(now))
        try records.audit.append([ServerEvents.command(.restore, detail: ["madeAt": .integer(madeAt)], now: now)])
      }
    }
    let time = Terminal.time(madeAt)
    Terminal.result("restored the state of \(time) in \(state.directory)")
    Terminal.note("revoke again what was revoked since \(time), and issue codes again that were not used")
  }
}
