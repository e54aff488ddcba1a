import ArgumentParser
import Foundation
import Testing
import UAFCrypto
import UAFMessages

@testable import PostgreSQLStore
@testable import SQLiteStore
@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// What a backup contains, and what a restored server accepts.
struct BackupTests {
  private let folder = try? TemporaryFolder()
  private let state: ServerDirectory

  init() throws {
    state = try ServerDirectory(path: #require(folder).path("state"), create: true)
  }

  private func path(_ name: String) throws -> String { try #require(folder).path(name) }

  /// Makes a state folder with keys and a store with an account, and a backup of it.
  private func backedUp(_ name: String = "backup") async throws -> String {
    _ = try ServerKeys(state: state, now: { 100 })
    let store = try state.openStore(create: true)
    try await store.write { records in
      try records.accounts.add("mina", now: 0)
      try records.enrolments.open([1], for: "mina", expiresAt: 1000)
      let session = ConsoleSession(
        tokenHash: [1], username: "mina", role: "auditor", startedAt: 0, lastUsedAt: 0)
      try records.consoleSessions.add(session, now: 0)
    }
    _ = try ServerBackup.make(of: state, store, in: path(name), now: 100)
    return try path(name)
  }

  private func restore(_ backup: String, to name: String) async throws -> ServerDirectory {
    let restored = try path(name)
    try await ServerBackup.restore(ServerBackup.check(backup), to: restored) { _ in }
    return try ServerDirectory(path: restored, create: false)
  }

  private func names(_ path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  @Test func `a backup of a store in use is complete, and only the owner can read its files`() async throws {
    let backup = try await backedUp()
    #expect(
      try names(backup) == [
        "audit.key", "audit.pub", "backup.json", "decoy.secret", "machine.secret", "server.db", "verdict.key",
        "verdict.pub",
      ])
    for name in ["backup.json", "decoy.secret", "machine.secret", "server.db", "verdict.key"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(backup)/\(name)")
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
    #expect(try FileManager.default.attributesOfItem(atPath: backup)[.posixPermissions] as? Int == 0o700)
    let restored = try await restore(backup, to: "restored")
    for name in ["verdict.key", "decoy.secret", "verdict.pub"] {
      #expect(FileManager.default.contentsEqual(atPath: state.file(name), andPath: restored.file(name)), "\(name)")
    }
    #expect(try await restored.openStore().read { try $0.accounts.exists("mina") })
  }

  @Test func `a restored server accepts no response to a request from before the backup, and keeps its verdict key`()
    async throws
  {
    let backup = try await backedUp()
    let before = try ServerKeys(state: state, now: { 100 })
    let data = ServerData(.login, username: "mina", expiresAt: 500)
    let challenge = [UInt8](repeating: 7, count: 32)
    let sealed = try ServerDataSeal(keys: before).seal(data, challenge: challenge)
    let after = try ServerKeys(state: await restore(backup, to: "restored"), now: { 100 })
    #expect(try ServerDataSeal(keys: before).open(sealed, challenge: challenge) == data)
    #expect(try ServerDataSeal(keys: after).open(sealed, challenge: challenge) == nil)
    #expect(before.verdictKey.id == after.verdictKey.id && before.decoySecret.id == after.decoySecret.id)
    #expect(before.machineSecretIDs == after.machineSecretIDs)
  }

  @Test func `the restore command closes open codes and console sessions, and says when the backup was made`()
    async throws
  {
    let backup = try await backedUp()
    let command = try RestoreCommand.parse([backup, "--state", path("restored")])
    try await command.run()
    let restored = try ServerDirectory(path: path("restored"), create: false).openStore()
    let found = try await restored.read { records in
      (try records.enrolments.find(for: "mina", now: 100), try records.settings.value(of: .restoredAt))
    }
    #expect(found.0 == nil)
    #expect(try await restored.read { try $0.consoleSessions.session(tokenHash: [1]) } == nil)
    #expect(try await state.openStore().read { try $0.consoleSessions.session(tokenHash: [1]) } != nil)
    #expect(found.1.flatMap { Int64($0) }.map { $0 > 1_700_000_000 } == true)
    #expect(try await state.openStore().read { try $0.enrolments.find(for: "mina", now: 100) } != nil)
  }

  @Test func `a restore names the verdict key that signs, and the machines that lack it as far as the store knows`()
    async throws
  {
    let restored = try await restore(backedUp(), to: "restored")
    let old = try restored.verdictKeys.ring().current(at: 100).id
    let store = try restored.openStore()
    func keys() async throws -> RestoredKeys {
      try await RestoredKeys(restored.verdictKeys.ring(), in: store, madeAt: 100, now: 100)
    }
    let alone = try await keys().texts("1970-01-01")
    #expect(
      alone.count == 1 && alone[0].hasPrefix("successes will be signed with verdict key \(old); the backup has \(old).")
    )
    #expect(alone[0].contains("put the newer verdict.key back before the server starts"))
    // With a database that was not restored: its machines have heard of a newer key.
    try await store.write { records in
      let code = try records.joinCodes.add("code", group: "lab", machines: 9, by: "test", now: 50, expiresAt: 900)
      let machine = JoinedMachine(
        codeNumber: code, id: "d1", name: "desk-1", model: nil, system: nil, group: "lab", joinedAt: 200)
      try records.joinedMachines.keep(machine, machineID: Array(repeating: 1, count: 16))
      try records.machineTrusts.note(KnownTrust(verdictKeys: ["0123456789abcdef"], authorities: []), of: "d1")
    }
    let texts = try await keys().texts("1970-01-01")
    #expect(texts.count == 2 && texts[1].contains("1 joined machine lacks that key: desk-1"), "\(texts)")
    var object: JSONObject = [:]
    try await keys().add(to: &object)
    #expect(object["verdictKey"] == .string(old) && object["lacking"] == .integer(1))
  }

  @Test(arguments: ["server.db", "verdict.key", "verdict.pub", "decoy.secret"])
  func `refuses a backup with a file that was cut, changed or removed, and restores nothing`(name: String) async throws
  {
    let backup = try await backedUp()
    let file = URL(filePath: "\(backup)/\(name)")
    let whole = try Data(contentsOf: file)
    var flipped = whole
    flipped[whole.count / 2] ^= 1
    for changed in [whole.dropLast(), flipped, whole + [0], Data()] {
      try changed.write(to: file)
      #expect(throws: ServerError.unusableBackup(backup, .changed(name))) { try ServerBackup.check(backup) }
    }
    try FileManager.default.removeItem(at: file)
    #expect(throws: ServerError.unusableBackup(backup, .changed(name))) { try ServerBackup.check(backup) }
  }

  @Test func `refuses a backup without its list of files, as if it had not been finished`() async throws {
    let backup = try await backedUp()
    try FileManager.default.removeItem(atPath: "\(backup)/backup.json")
    #expect(throws: ServerError.unusableBackup(backup, .incomplete)) { try ServerBackup.check(backup) }
  }

  @Test func `refuses a backup whose list of files was cut anywhere`() async throws {
    let list = try Data(contentsOf: URL(filePath: "\(await backedUp())/backup.json"))
    #expect(try BackupManifest(parsing: Array(list)).files.count == 7)
    for count in 0..<list.count {
      #expect(throws: BackupError.self) { try BackupManifest(parsing: Array(list.prefix(count))) }
    }
  }

  @Test(arguments: [
    (#"{"form":2}"#, BackupError.otherForm(2)), (#"{"form":"1"}"#, .unreadable), ("[]", .unreadable),
    (
      #"{"form":1,"madeAt":1,"version":"1","files":[{"name":"../server.db","size":1,"sha256":"a"}]}"#,
      .unknownFile("../server.db")
    ),
    (
      #"{"form":1,"madeAt":1,"version":"1","files":[{"name":"server.secret","size":1,"sha256":"a"}]}"#,
      .unknownFile("server.secret")
    ),
    (#"{"form":1,"madeAt":1,"version":"1","files":[{"name":"server.db","size":-1,"sha256":"a"}]}"#, .unreadable),
    (#"{"form":1,"madeAt":1,"version":"1","files":[7]}"#, .unreadable),
    (#"{"form":1,"madeAt":1,"version":"1"}"#, .unreadable),
  ])
  func `refuses a backup whose list of files has a different format or names other files`(
    text: String, error: BackupError
  ) {
    #expect(throws: error) { try BackupManifest(parsing: Array(text.utf8)) }
  }

  @Test func `neither a backup nor a restore overwrites an existing folder`() async throws {
    let backup = try await backedUp()
    #expect(throws: ServerError.unusableBackup(backup, .exists)) {
      try ServerBackup.make(of: state, nil, in: backup, now: 200)
    }
    let found = try names(state.path)
    await #expect(throws: ServerError.self) {
      try await ServerBackup.restore(ServerBackup.check(backup), to: state.path) { _ in }
    }
    #expect(try names(state.path) == found)
  }

  @Test
  func `restores into the root of a file system that has only lost+found, and into no other folder that is not empty`()
    async throws
  {
    let backup = try await backedUp()
    for other in [nil, "mine", ".hidden", "LOST+FOUND", "server.db"] {
      let name = "restored \(other ?? "")"
      _ = try ServerDirectory(path: path(name), create: true)
      for name in ["\(name)/lost+found", other.map { "\(name)/\($0)" }].compactMap(\.self) {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: false)
      }
      guard let other else {
        #expect(try await restore(backup, to: name).openStore().read { try $0.accounts.exists("mina") })
        #expect(try names(path(name)).contains("lost+found"))
        continue
      }
      let refused = await #expect(throws: (any Error).self) { try await restore(backup, to: name) }
      #expect(refused.map { "\($0)".contains(other) } == true)
      #expect(try names(path(name)) == [other, "lost+found"].sorted())
    }
  }

  @Test(arguments: [true, false])
  func `a failed restore leaves the target as it was`(isThere: Bool) async throws {
    struct Failure: Error {}
    let backup = try await backedUp()
    let target = try path("restored")
    if isThere { _ = try ServerDirectory(path: target, create: true) }
    await #expect(throws: Failure.self) {
      try await ServerBackup.restore(ServerBackup.check(backup), to: target) { _ in throw Failure() }
    }
    #expect(FileManager.default.fileExists(atPath: target) == isThere)
    if isThere { #expect(try names(target) == []) }
  }

  @Test func `no server starts with a folder in which a restore was killed`() async throws {
    let backup = try await backedUp()
    let target = try path("restored")
    try await ServerBackup.restore(ServerBackup.check(backup), to: target) { directory in
      #expect(FileManager.default.fileExists(atPath: directory.unfinishedPath))
      let refused = #expect(throws: ServerError.self) { try ServerDirectory(path: target, create: true) }
      #expect(refused?.description.contains("a restore into this folder did not finish") == true)
    }
    _ = try ServerDirectory(path: target, create: false)
  }

  @Test func `a restored server knows the machines of the backup, and a backup from before it had their secret none`()
    async throws
  {
    let backup = try await backedUp()
    let old = try ServerKeys(state: state, now: { 100 })
    let restored = try ServerKeys(state: await restore(backup, to: "restored"), now: { 100 })
    #expect(restored.machineSecretIDs == old.machineSecretIDs)
    #expect(restored.rings.secrets.entries.map(\.key.id) != old.rings.secrets.entries.map(\.key.id))
    try FileManager.default.removeItem(atPath: "\(backup)/machine.secret")
    let (folder, manifest) = (
      try ServerDirectory(path: backup, create: false),
      try BackupManifest(parsing: StateFile.read(path: "\(backup)/backup.json", isSecret: true) ?? [])
    )
    let earlier = BackupManifest(
      madeAt: 100, version: "1", files: manifest.files.filter { $0.name != "machine.secret" })
    try await ServerBackup.restore((folder, earlier), to: path("earlier")) { _ in }
    let unknown = try ServerKeys(state: ServerDirectory(path: path("earlier"), create: false), now: { 100 })
    #expect(unknown.machineSecretIDs != old.machineSecretIDs)
    #expect(unknown.machineSecretIDs != unknown.rings.secrets.entries.map(\.key.id))
  }

  @Test func `restoring a backup that has no store is refused if no database is named`() async throws {
    _ = try ServerKeys(state: state, now: { 100 })
    let backup = try path("keys")
    _ = try ServerBackup.make(of: state, nil, in: backup, now: 100)
    let command = try RestoreCommand.parse([backup, "--state", path("restored")])
    await #expect(throws: ServerError.unusableBackup(backup, .withoutStore)) { try await command.run() }
    #expect(!FileManager.default.fileExists(atPath: try path("restored")))
  }

  @Test func `a failed restore keeps what somebody else has put into the target`() async throws {
    struct Failure: Error {}
    let backup = try await backedUp()
    let target = try path("restored")
    await #expect(throws: Failure.self) {
      try await ServerBackup.restore(ServerBackup.check(backup), to: target) { directory in
        try Data([1]).write(to: URL(filePath: directory.file("mine")))
        throw Failure()
      }
    }
    #expect(try names(target) == ["mine"])
  }

  @Test func `a restore without a backup is refused if no database is named`() {
    #expect(throws: (any Error).self) { try RestoreCommand.parse(["--state", state.path]) }
  }

  @Test
  func `if only the database is restored, beside an intact folder, its codes are closed and the secret is replaced`()
    async throws
  {
    let database = try PostgreSQLTestDatabase()
    let before = try ServerKeys(state: state, now: { 100 })
    try await database.store.write { records in
      try records.accounts.add("mina", now: 0)
      try records.enrolments.open([1], for: "mina", expiresAt: 1000)
    }
    let url = database.place.cluster.url(database.place.name)
    try await RestoreCommand.parse(["--state", state.path, "--store", url]).run()
    let found = try await database.store.read { records in
      (
        try records.enrolments.find(for: "mina", now: 100),
        try records.audit.rows(AuditFilter(), limit: 9)
      )
    }
    #expect(found.0 == nil && found.1.map(\.event.kind) == [.restore])
    #expect(!FileManager.default.fileExists(atPath: state.secretPath))
    let after = try ServerKeys(state: state, now: { 100 })
    #expect(before.verdictKey.id == after.verdictKey.id && before.decoySecret.id == after.decoySecret.id)
  }

  @Test func `a new server key is used only after everybody who needs it had time to receive it`() {
    #expect(RotatedKey.allCases.map(\.standardDelay) == [3600, 604_800, 3600, 3600])
  }

  @Test func `refuses to restore from a backup folder that others can write to`() async throws {
    let backup = try await backedUp()
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: backup)
    #expect(throws: ServerError.self) { try ServerBackup.check(backup) }
  }
}
