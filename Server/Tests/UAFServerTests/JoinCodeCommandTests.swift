import ArgumentParser
import Foundation
import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// Join codes on the command line.
struct JoinCodeCommandTests {
  private let folder: TemporaryFolder
  private let state: ServerDirectory

  init() throws {
    folder = try TemporaryFolder()
    state = try ServerDirectory(path: folder.path("state"), create: true)
    _ = try state.openStore(create: true)
  }

  private func create(_ more: String..., server: String = "https://127.0.0.1:8443") throws -> JoinCodeCreateCommand {
    try JoinCodeCreateCommand.parse(["--state", state.path, "--server", server] + more)
  }

  private func codes() async throws -> [JoinCode] {
    try await state.openStore().read { try $0.joinCodes.page(before: nil, limit: 9) }
  }

  @Test
  func `the payload of a join code goes to a new file that only its owner can read, with the keys of the state folder`()
    async throws
  {
    let path = folder.path("payload")
    try await create("--group", "lab", "--machines", "3", "--payload-file", path).run()
    let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
    let payload = try MachinePayload(encoded: String(text.dropLast()))
    #expect(text.hasSuffix("\n") && payload.group.name == "lab" && payload.server == "https://127.0.0.1:8443")
    let keys = try ServerKeys(state: state, now: { 0 })
    #expect(payload.verdictKeys == String(decoding: keys.announcedPEM, as: UTF8.self))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try await codes().map(\.machines) == [3])
  }

  @Test func `the command refuses an existing file for a payload, and issues no join code`() async throws {
    let path = folder.path("payload")
    try Data("mine".utf8).write(to: URL(filePath: path))
    await #expect(throws: ServerError.self) { try await create("--payload-file", path).run() }
    #expect(try String(contentsOf: URL(filePath: path), encoding: .utf8) == "mine")
    #expect(try await codes().isEmpty)
  }

  @Test func `the file for a payload is removed if no join code is issued`() async throws {
    let path = folder.path("payload")
    _ = try CertificateFiles(development: state, hosts: ["uaf.example.com"], now: 1_800_000_000)
    let command = try create("--payload-file", path, server: "https://192.0.2.1")
    await #expect(throws: (any Error).self) { try await command.run() }
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try await codes().isEmpty)
  }

  @Test(arguments: [
    ["join-code", "create", "--group", "Lab"], ["join-code", "create", "--state", "d", "--group", "Lab"],
    ["join-code", "create", "--state", "d", "--machines", "0"],
    ["join-code", "create", "--state", "d", "--machines", "10001"],
    ["join-code", "create", "--state", "d", "--lifetime", "59"],
    ["join-code", "create", "--state", "d", "--lifetime", "2592001"], ["join-code", "close", "--state", "d"],
    ["join-code", "close", "0", "--state", "d"], ["join-code", "close", "x", "--state", "d"],
    ["join-code", "list", "1", "--state", "d"],
  ])
  func `refuses a join-code command with missing or invalid arguments`(arguments: [String]) async {
    await #expect(throws: (any Error).self) { _ = try await UAFServerCommand.asyncParseAsRoot(arguments) }
  }

  private func line(used: Int = 17, isClosed: Bool = false, group: String = "lab", now: Int64 = 1_800_000_000) -> String
  {
    let code = JoinCode(
      number: 4, group: group, machines: 200, used: used, issuedBy: "token deploy", issuedAt: 1_800_000_000,
      expiresAt: 1_800_000_900, isClosed: isClosed)
    return JoinCodeListCommand.line(APIShapes.joinCode(code, now: now))
  }

  @Test func `'join-code list' shows how many machines a code allows and has, and its state`() {
    let end = "token deploy\t2027-01-15T08:00:00Z\t2027-01-15T08:15:00Z\t"
    #expect(line() == "4\tlab\t200\t17\t\(end)open")
    #expect(line(used: 200) == "4\tlab\t200\t200\t\(end)used-up")
    #expect(line(now: 1_800_000_900).hasSuffix("expired") && line(isClosed: true).hasSuffix("closed"))
  }

  @Test func `a group with tabs and escape sequences adds no field to the list of join codes`() {
    #expect(line(group: "a\tb\u{1B}[2J").split(separator: "\t").count == 8)
  }

  @Test func `'machines' lists a machine that joined and has no key, and a machine that never joined`() {
    let joined = JoinedMachine(
      codeNumber: 1, id: "d1", name: "desk", model: nil, system: nil, group: "lab", joinedAt: 1_800_000_000,
      revokedAt: 1_800_000_900)
    #expect(
      MachinesCommand.line(APIShapes.machine(FleetMachine(joined)))
        == "d1\tdesk\t-\t-\t0\t0\t0\tnever\tlab\t2027-01-15T08:00:00Z\t2027-01-15T08:15:00Z\t-\t-\t-\t-\t-")
    let other = FleetMachine(
      id: "d2", name: nil, model: nil, system: nil, people: 1, keys: 2, revokedKeys: 0, registeredAt: 0, lastUsedAt: nil
    )
    #expect(MachinesCommand.line(APIShapes.machine(other)) == "d2\t-\t-\t-\t1\t2\t0\tnever\t-\t-\t-\t-\t-\t-\t-\t-")
  }

  @Test func `'machines' lists what a machine reported, with all its locks counted`() {
    let lock = ReportedLock(account: "mina", type: "passcode", origin: .local, until: nil)
    let contact = MachineContact(
      at: 1_800_000_000, module: "1.0\u{1B}[2J", policy: 3, locks: ReportedLocks([lock], more: 2),
      copySeenAt: 1_800_000_900, mark: nil, offlineNumber: nil)
    let joined = JoinedMachine(
      codeNumber: 1, id: "d1", name: nil, model: nil, system: nil, group: "lab", joinedAt: 0, contact: contact)
    let line = MachinesCommand.line(APIShapes.machine(FleetMachine(joined)))
    #expect(line.hasSuffix("\t3\t3\t2027-01-15T08:15:00Z") && !line.contains("\u{1B}"))
    #expect(line.split(separator: "\t").count == 16)
  }
}
