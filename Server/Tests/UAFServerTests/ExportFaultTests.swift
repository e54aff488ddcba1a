import ArgumentParser
import Foundation
import Testing
import UAFAdministration
import UAFCrypto
import UAFMessages

@testable import SQLiteStore
@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// Each kind of damage to an export is refused under its own name, before anything is stored.
struct ExportFaultTests {
  private let folder = try? TemporaryFolder()

  private func path(_ name: String) throws -> String { try #require(folder).path(name) }

  /// The lines of an export: the header, two accounts, a key, the end.
  private func lines() async throws -> [String] {
    let server = try TestServer()
    try await server.store.write { records in
      try records.accounts.add("mina", now: 1)
      try records.accounts.add("hana", now: 1)
    }
    try await server.database.addKeys([("mina", "5541#0001")])
    let path = try path("whole")
    _ = try await ExportFile.make(path) { file in
      try await StoreExport(store: server.store, kind: "sqlite", now: 5).write(to: file)
    }
    return try String(contentsOf: URL(filePath: path), encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// Writes a file and checks it, which is an import's first step.
  private func check(_ text: String) throws -> ExportParser.Header {
    let path = try path("changed")
    try Data(text.utf8).write(to: URL(filePath: path))
    let file = try #require(FileHandle(forReadingAtPath: path))
    return try StoreImport.check(file.fileDescriptor, path: path)
  }

  private func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

  @Test func `a complete export is read, and its header says where it comes from`() async throws {
    let header = try await check(text(lines()))
    #expect(header.madeAt == 5 && header.version == ServerVersion.current && header.store == "sqlite")
    #expect(header.counts["account"] == .integer(2) && header.counts["credential"] == .integer(1))
  }

  @Test func `an export that was cut anywhere is refused`() async throws {
    let whole = try await text(lines())
    for count in 0..<whole.utf8.count {
      #expect(throws: ExportFault.self) { try check(String(decoding: whole.utf8.prefix(count), as: UTF8.self)) }
    }
  }

  @Test(arguments: [
    ("header", "footer", ExportFault.notAnExport), ("\"form\":4", "\"form\":1", .otherForm(1)),
    ("\"madeAt\":5", "\"madeAt\":\"5\"", .notAnExport),
    ("\"type\":\"credential\"", "\"type\":\"door\"", .unknownType(line: 4, "door")),
    ("\"username\":\"mina\",\"createdAt\":1", "\"createdAt\":1", .wrongMember(line: 2, type: "account", "username")),
    ("\"username\":\"hana\"", "\"username\":\"ha na\"", .wrongMember(line: 3, type: "account", "username")),
    ("\"number\":2", "\"number\":\"2\"", .wrongMember(line: 3, type: "account", "number")),
    ("\"number\":2", "\"number\":0", .wrongMember(line: 3, type: "account", "number")),
    ("\"number\":2", "\"number\":1", .wrongOrder(line: 3)),
    ("\"signCounter\":1", "\"signCounter\":4294967296", .wrongMember(line: 4, type: "credential", "signCounter")),
    ("\"signCounter\":1", "\"signCounter\":-1", .wrongMember(line: 4, type: "credential", "signCounter")),
    ("\"publicKey\":\"AA\"", "\"publicKey\":\"A*\"", .wrongMember(line: 4, type: "credential", "publicKey")),
    (
      "\"publicKey\":\"AA\"", "\"publicKey\":\"AA\",\"secret\":1",
      .unknownMember(line: 4, type: "credential", "secret")
    ),
    ("\"appID\":\"", "\"appID\":\"\\u0000", .wrongMember(line: 4, type: "credential", "appID")),
    ("{\"type\":\"credential\"", "{type:\"credential\"", .unreadable(line: 4)),
    ("\"hana\"", "\"Hana\"", .wrongHash), ("\"account\":2", "\"account\":3", .wrongHash),
  ])
  func `each kind of damage to an export has its own refusal`(old: String, new: String, fault: ExportFault) async throws
  {
    let whole = try await text(lines())
    let range = try #require(whole.range(of: old))
    #expect(throws: fault) { try check(whole.replacingCharacters(in: range, with: new)) }
    #expect(!fault.description.isEmpty)
  }

  @Test func `an export with lines that are missing, repeated, misplaced or surplus is refused`() async throws {
    let lines = try await lines()
    #expect(throws: ExportFault.wrongHash) { try check(text([lines[0], lines[1]] + lines[3...])) }
    #expect(throws: ExportFault.wrongOrder(line: 3)) { try check(text([lines[0], lines[1], lines[1]] + lines[3...])) }
    #expect(throws: ExportFault.wrongOrder(line: 4)) {
      try check(text([lines[0], lines[1], lines[3], lines[2], lines[4]]))
    }
    #expect(throws: ExportFault.afterEnd(line: 6)) { try check(text(lines + [lines[1]])) }
    #expect(throws: ExportFault.cut) { try check(text(lines.dropLast())) }
    #expect(throws: ExportFault.unreadable(line: 2)) { try check(text([lines[0], ""] + lines[1...])) }
  }

  @Test func `an export whose end line has a wrong row count is refused, even if its hash is right`() async throws {
    var lines = try await lines()
    lines[4] = lines[4].replacing("\"account\":2", with: "\"account\":1")
    #expect(throws: ExportFault.wrongCount(type: "account")) { try check(text(lines)) }
  }

  @Test func `a line of an export without an end is refused before it fills the memory`() throws {
    let long = String(repeating: "a", count: ExportFault.longestLine + 70_000)
    #expect(throws: ExportFault.tooLong(line: 1)) { try check(long) }
  }

  @Test func `the file of an export is created only for its owner, overwrites nothing, and is removed after a failure`()
    async throws
  {
    struct Failure: Error {}
    let path = try path("new")
    await #expect(throws: Failure.self) { try await ExportFile.make(path) { _ in throw Failure() } }
    #expect(!FileManager.default.fileExists(atPath: path))
    try await ExportFile.make(path) { _ in }
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    await #expect(throws: ServerError.self) { try await ExportFile.make(path) { _ in } }
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func `export and import move a state folder's store, and the new folder does not keep its old server secret`()
    async throws
  {
    let old = try ServerDirectory(path: path("old"), create: true)
    _ = try ServerKeys(state: old, now: { 100 })
    try await old.openStore(create: true).write { try $0.accounts.add("mina", now: 0) }
    let (file, new) = (try path("export"), try ServerDirectory(path: path("moved"), create: true))
    try await ExportCommand.parse([file, "--state", old.path]).run()
    for name in ["server.secret", "decoy.secret"] {
      try FileManager.default.copyItem(atPath: old.file(name), toPath: new.file(name))
    }
    try await ImportCommand.parse([file, "--state", new.path]).run()
    #expect(!FileManager.default.fileExists(atPath: new.secretPath))
    #expect(FileManager.default.fileExists(atPath: new.decoySecretPath))
    #expect(
      try await old.openStore().read { try $0.audit.rows(AuditFilter(), limit: 9) }.map(\.event.kind) == [.storeExport])
    #expect(
      try await new.openStore().read { try $0.audit.rows(AuditFilter(), limit: 9) }.map(\.event.kind) == [.storeImport])
    await #expect(throws: ServerError.unusableExport(file, .storeNotEmpty)) {
      try await ImportCommand.parse([file, "--state", new.path]).run()
    }
  }

  @Test func `refuses to write both an export and JSON about it to standard output`() {
    #expect(throws: (any Error).self) { try ExportCommand.parse(["-", "--state", "d", "--json"]) }
  }

  @Test(arguments: ["administrator", "accessToken"]) func `an export with an unknown role in a forged row is refused`(
    type: String
  ) throws {
    let role = try #require(MovedTable.all.first { $0.type == type }?.columns.first { $0.name == "role" })
    #expect(["", "root", "Administrator", "administrator "].allSatisfy { !role.allows(.text($0)) })
    #expect(Role.ofPeople.allSatisfy { role.allows(.text($0.rawValue)) })
    #expect(role.allows(.text(Role.provisioning.rawValue)) == (type == "accessToken"))
  }

  @Test func `an import reports the administrators and tokens that it has added`() async throws {
    let server = try TestServer()
    let powers = try await server.store.write { records in
      try records.administrators.set(
        StoredAdministrator(name: "mallory", role: "administrator", addedBy: "", addedAt: 1))
      for (name, end) in [("deploy", Int64.max), ("over", 2)] {
        let token = AccessToken(
          name: name, role: "operator", createdBy: "", createdAt: 1, expiresAt: end, addresses: [])
        _ = try records.accessTokens.add(token, hash: Array(name.utf8))
      }
      return try ImportedPowers(records, now: 2)
    }
    #expect(powers.administrators == ["mallory (administrator)"] && powers.tokens == ["deploy (operator)"])
    #expect(powers.lines.count == 2 && powers.lines[0].hasSuffix("not yours: mallory (administrator)"))
  }
}
