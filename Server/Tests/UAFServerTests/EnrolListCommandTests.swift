import ArgumentParser
import Foundation
import Glibc
import Testing
import UAFAdministration
import UAFMessages

@testable import SQLiteStore
@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// Enrolment codes for a list of people, on the command line.
struct EnrolListCommandTests {
  private let folder: TemporaryFolder
  private let state: ServerDirectory

  init() throws {
    folder = try TemporaryFolder()
    state = try ServerDirectory(path: folder.path("state"), create: true)
    _ = try state.openStore(create: true)
  }

  private func enrol(_ list: String, _ options: [String] = []) async throws {
    try list.write(toFile: folder.path("people.csv"), atomically: false, encoding: .utf8)
    let arguments = [folder.path("people.csv"), "--codes", folder.path("codes.csv"), "--state", state.path] + options
    try await EnrolListCommand.parse(arguments).run()
  }

  private func codes() throws -> [[String]] {
    let text = try String(contentsOfFile: folder.path("codes.csv"), encoding: .utf8)
    return try text.split(separator: "\n").map { try CSVLine(parsing: String($0)).fields }
  }

  private func isOpen(_ line: [String]) async throws -> Bool {
    let payload = try EnrolmentPayload(encoded: line[3])
    guard let code = payload.code, code.text == line[2] else { return false }
    let proof = try EnrolmentSeal.proof(of: code, for: payload.username)
    return try await state.openStore().read { records in
      guard let open = try records.enrolments.find(for: payload.username, now: payload.expires - 1) else {
        return false
      }
      return try EnrolmentSeal(keys: ServerKeys(state: state, now: { payload.expires - 1 }))
        .isProof(proof, by: open.sealedKey, for: payload.username)
    }
  }

  @Test func `each person on a list gets an open code, in a file that only its owner can read`() async throws {
    try await enrol("username,lifetime\n" + (0..<600).map { "person\($0),\(60 + $0)\n" }.joined())
    let lines = try codes()
    #expect(lines.count == 601 && lines[0] == ["username", "expires", "code", "payload"])
    for line in [lines[1], lines[251], lines[600]] { #expect(try await isOpen(line), "\(line[0])") }
    #expect(Set(lines.map { $0[2] }).count == 601)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("codes.csv"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let rows = try await state.openStore().read { records in
      try records.audit.rows(AuditFilter(kind: .enrolmentCode), limit: 1000)
    }
    #expect(rows.count == 600 && rows.last?.event.account == "person599")
  }

  @Test
  func `reads a list of people from a pipe, under the names that a shell gives to the pipe, and from a named pipe`()
    async throws
  {
    let list = Array("username\nmina\n".utf8)
    for name in ["/dev/fd/", "/proc/self/fd/"] {
      var ends: [CInt] = [0, 0]
      // SAFETY: two descriptors are written; the array is lent for the call.
      try #require(unsafe pipe(&ends) == 0)
      try #require(unsafe write(ends[1], list, list.count) == list.count)
      close(ends[1])
      #expect(try ListInput.read("\(name)\(ends[0])", maximumLength: 100) == list)
      close(ends[0])
    }
    #expect(ListInput.descriptor("-") == 0 && ListInput.descriptor("/dev/stdin") == 0)
    for path in ["/dev/fd/1/x", "/dev/fd/x", "/dev/fd/-1", "./-", "people.csv"] {
      #expect(ListInput.descriptor(path) == nil)
    }
    let named = folder.path("named")
    // SAFETY: the path lives for the call.
    try #require(unsafe mkfifo(named, 0o600) == 0)
    let writer = Task.detached { try Data(list).write(to: URL(filePath: named)) }
    try await EnrolListCommand.parse([named, "--codes", folder.path("codes.csv"), "--state", state.path]).run()
    try await writer.value
    #expect(try codes().map { $0[0] } == ["username", "mina"])
  }

  @Test func `refuses a list of people from a pipe that others could write to, and a list that is too long`() throws {
    let named = folder.path("named")
    // SAFETY: the path lives for the calls.
    try #require(unsafe mkfifo(named, 0o600) == 0 && chmod(named, 0o622) == 0)
    #expect(throws: ServerError.self) { try ListInput.read(named, maximumLength: 100) }
    var ends: [CInt] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    try #require(unsafe write(ends[1], [1, 2, 3], 3) == 3)
    close(ends[1])
    defer { close(ends[0]) }
    #expect(throws: ServerError.self) { try ListInput.read("/dev/fd/\(ends[0])", maximumLength: 2) }
  }

  @Test func `a wrong line in a list of people stops the whole command before any code is issued`() async throws {
    await #expect(throws: ServerError.self) { try await enrol("username\nmina\nmi na\njun\n") }
    #expect(!FileManager.default.fileExists(atPath: folder.path("codes.csv")))
    #expect(try await state.openStore().read { try !$0.accounts.exists("mina") })
  }

  @Test func `a wrong line in a list of people is skipped if that was asked for`() async throws {
    try await enrol("username\nmina\nmi na\njun\n", ["--skip-wrong"])
    #expect(try codes().map { $0[0] } == ["username", "mina", "jun"])
  }

  @Test func `refuses a list that names nobody, and one with only wrong lines`() async throws {
    await #expect(throws: ServerError.self) { try await enrol("username\n") }
    await #expect(throws: ServerError.self) { try await enrol("username\nmi na\n", ["--skip-wrong"]) }
  }

  @Test func `the codes of a list do not overwrite an existing file, and then no code is issued`() async throws {
    try "mine".write(toFile: folder.path("codes.csv"), atomically: false, encoding: .utf8)
    await #expect(throws: ServerError.self) { try await enrol("username\nmina\n") }
    #expect(try String(contentsOfFile: folder.path("codes.csv"), encoding: .utf8) == "mine")
    #expect(try await state.openStore().read { try !$0.accounts.exists("mina") })
  }

  @Test func `a second list of the same people closes the codes of the first`() async throws {
    try await enrol("username\nmina\n")
    let first = try codes()[1]
    try FileManager.default.removeItem(atPath: folder.path("codes.csv"))
    try await enrol("username\nmina\n")
    #expect(try await !isOpen(first))
    #expect(try await isOpen(codes()[1]))
  }
}
