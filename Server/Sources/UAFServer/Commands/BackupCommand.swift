import ArgumentParser
import Foundation
import SQLiteStore
import UAFAdministration
import UAFMessages
import UAFService

/// `uaf-server backup`: copies everything that a server needs into a new folder, while the server runs.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy store, keys and certificate into a new folder, while the server runs.",
    discussion: """
      Only its owner can read the folder. It has the key that signs verdicts, so protect it like the state folder. \
      With --store it has only the files: back up the database afterwards, with pg_dump. A copy of server.db that \
      'cp' makes while the server runs may not open, or may lack the last logins.
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
    if state.store != nil { Terminal.note("the database of --store is not in the backup: back it up now with pg_dump") }
  }
}

/// `uaf-server restore`: makes a state folder from a backup.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Make a new state folder from a backup.",
    discussion: """
      The state folder must be empty or must not exist: stop the server, and move the old folder away. With --store, \
      stop every server of that database, and restore the database first (pg_restore); name no FOLDER if the state \
      folder is intact. The server gets a new secret for session data, and all open codes and sessions of the console \
      are closed, so no code and no signature that was used since the backup can be used again. Everything is as it \
      was at the backup: revoke and disable again what was revoked or disabled since then, and check administrators, \
      tokens and the policy. The verdict key is as it was, too: machines that were told its end refuse this server, so put \
      a newer verdict.key back, if there is one, before the server starts.
      """)

  @Argument(
    help: "The folder that 'uaf-server backup' made; none if only the database of --store was restored.",
    completion: .directory)
  var folder: String?
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard folder != nil || state.store != nil else {
      throw ValidationError("Name the folder that 'uaf-server backup' made.")
    }
  }

  func run() async throws {
    guard let folder else { return try await closeDatabase() }
    let backup = try ServerBackup.check(folder)
    guard state.store != nil || backup.manifest.files.contains(where: { $0.name == "server.db" }) else {
      throw ServerError.unusableBackup(folder, .withoutStore)
    }
    let (now, madeAt) = (Terminal.now, backup.manifest.madeAt)
    var keys: RestoredKeys?
    try await ServerBackup.restore(backup, to: state.directory) { directory in
      let store = try state.openStore(in: directory)
      try await close(store, ["madeAt": .integer(madeAt)], now: now)
      keys = try await RestoredKeys(directory.verdictKeys.ring(), in: store, madeAt: madeAt, now: now)
    }
    let time = Terminal.time(madeAt)
    var object: JSONObject = ["madeAt": .integer(madeAt), "folder": .string(state.directory)]
    keys?.add(to: &object)
    json.print(object, orElse: "restored the state of \(time) in \(state.directory)")
    Terminal.note(
      "changes since \(time) are lost: revoke and disable again what was revoked or disabled since then, "
        + "and issue unused codes again"
    )
    for text in keys?.texts(time) ?? [] { Terminal.note(text) }
  }

  /// Does for a database that its administrator has restored what a restore does for `server.db`.
  ///
  /// The keys in the state folder stay, except for `server.secret`.
  private func closeDatabase() async throws {
    let directory = try state.openWithKeys()
    try await close(state.openStore(in: directory), [:], now: Terminal.now)
    try StateLock.wait(for: directory) { try directory.dropSecret() }
    json.print(
      ["folder": .string(state.directory)],
      orElse: "closed the codes and sessions that were open in the restored database")
    Terminal.note(
      "the next start makes a new server.secret: copy it to the other servers, and revoke again what was revoked "
        + "since the backup"
    )
  }

  /// Closes all open codes, requests and sessions: they may have been used after the backup was made.
  private func close(_ store: any ServerStore, _ detail: JSONObject, now: Int64) async throws {
    try await store.write { records in
      try records.enrolments.closeAll()
      try records.approvals.closeAll()
      try records.joinCodes.closeAll()
      try records.openRegistrations.removeAll()
      try records.consoleSessions.removeAll()
      try records.settings.set(.restoredAt, to: String(now))
      try records.audit.append([ServerEvents.command(.restore, detail: detail, now: now)])
    }
  }
}

/// The verdict keys of a backup, and which machines may refuse them.
struct RestoredKeys {
  /// The ids of all keys in the file.
  let ids: [String]
  /// The key with which the server is going to sign, and which machines lack it, as far as the store knows.
  let used: ComingTrust

  /// - Parameters:
  ///   - madeAt: when the backup was made, in seconds since 1970: machines that were seen since 30 days before that count.
  /// - Throws: ``StoreFailure``.
  init(_ ring: KeyRing<TokenKey>, in store: any ServerStore, madeAt: Int64, now: Int64) async throws {
    ids = ring.entries.map(\.key.id)
    let id = ring.current(at: now).id
    used = try await store.read { try ComingTrust(.verdictKey(id), usedFrom: now, in: $0, now: madeAt) }
  }

  func add(to object: inout JSONObject) {
    object.set("verdictKey", .string(used.anchor.name))
    object.set("verdictKeys", .array(ids.map(JSONValue.string)))
    object.set("lacking", .integer(Int64(used.lacking)))
  }

  /// What the administrator must know before the server starts.
  func texts(_ time: String) -> [String] {
    var texts = [
      "successes will be signed with verdict key \(used.anchor.name); the backup has \(ids.joined(separator: ", ")). If the "
        + "verdict key was rotated since \(time), machines that were told the end of this key refuse the server: put the newer "
        + "verdict.key back before the server starts, or have these machines join again"
    ]
    if used.lacking > 0 {
      texts.append("as far as the store knows, \(used.lackingText) that key: \(used.namesText)")
    }
    return texts
  }
}
