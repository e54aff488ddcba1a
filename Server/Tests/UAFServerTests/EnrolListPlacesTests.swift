import ArgumentParser
import Foundation
import Glibc
import HostSystem
import Testing
import UAFAdministration
import UAFMessages

@testable import SQLiteStore
@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// Payload files and sheets for a list of people.
struct EnrolListPlacesTests {
  private let folder: TemporaryFolder
  private let state: ServerDirectory

  init() throws {
    folder = try TemporaryFolder()
    state = try ServerDirectory(path: folder.path("state"), create: true)
    _ = try state.openStore(create: true)
  }

  private var payloads: String { folder.path("payloads") }
  private var sheets: String { folder.path("sheets.html") }

  private func enrol(_ list: String, _ options: [String]) async throws {
    try list.write(toFile: folder.path("people.csv"), atomically: false, encoding: .utf8)
    try await EnrolListCommand.parse([folder.path("people.csv"), "--state", state.path] + options).run()
  }

  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: payloads).sorted() }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private func openCodes() async throws -> Int {
    try await state.openStore().read { try $0.issuedCodes.page(before: nil, onlyOpen: true, limit: 1000, now: 0).count }
  }

  private func isThere(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder.path(name)) }

  @Test(arguments: ["--codes", "--payloads", "--sheets"])
  func `refuses to print the codes of a list to standard output`(option: String) {
    let command = [folder.path("people.csv"), "--state", state.path, option]
    #expect(throws: Never.self) { try EnrolListCommand.parse(command + ["./-"]) }
    let refusal = #expect(throws: (any Error).self) { try EnrolListCommand.parse(command + ["-"]) }
    #expect(refusal.map { EnrolListCommand.message(for: $0).contains("never written to standard output") } == true)
  }

  @Test func `each person on a list gets a file with what 'enrol' prints, and only the owner can read file and folder`()
    async throws
  {
    try await enrol("username\nmina\njun\n", ["--payloads", payloads])
    #expect(try names() == ["jun.code", "mina.code"])
    #expect(try mode(payloads) == 0o700 && mode(payloads + "/mina.code") == 0o600)
    let line = try text(payloads + "/mina.code")
    let payload = try EnrolmentPayload(encoded: String(line.dropLast()))
    #expect(line.hasSuffix("\n") && payload.username == "mina" && payload.op == .registration)
    let isOpen = try await state.openStore().read { records in
      try records.enrolments.find(for: "mina", now: payload.expires - 1) != nil
    }
    #expect(isOpen)
  }

  @Test func `payload files of accounts with hostile names stay in the folder, and the sheets show the names as text`()
    async throws
  {
    let hostile = ["../../x", "..", "-rf", "<script>alert(1)</script>", "a/b", "a%2fb", "$(id)"]
    try await enrol("username\n" + hostile.map { $0 + "\n" }.joined(), ["--payloads", payloads, "--sheets", sheets])
    #expect(try names().count == hostile.count)
    let files = try names().map { try EnrolmentPayload(encoded: String(text("\(payloads)/\($0)").dropLast())).username }
    #expect(Set(files) == Set(hostile))
    #expect(try !text(sheets).contains("<script") && text(sheets).contains("&lt;script&gt;"))
    #expect(!isThere("x") && isThere("payloads"))
  }

  @Test(arguments: [
    "username\nmina\nmina\n", "username\na\u{202E}b\n", "username\n\(String(repeating: "n", count: 2000))\n",
  ])
  func `a repeated name, one with a bidi control and one of 2,000 characters are wrong lines, and no code is issued`(
    list: String
  ) async throws {
    await #expect(throws: ServerError.self) { try await enrol(list, ["--payloads", payloads, "--sheets", sheets]) }
    #expect(!isThere("payloads") && !isThere("sheets.html"))
    #expect(try await openCodes() == 0)
  }

  @Test func `sheets and CSV have the same codes as the payload files, and only their owner can read them`()
    async throws
  {
    let list = "username\n" + (0..<300).map { "person\($0)\n" }.joined()
    try await enrol(
      list, ["--payloads", payloads, "--sheets", sheets, "--language", "ko", "--codes", folder.path("codes.csv")])
    let (page, table) = (try text(sheets), try text(folder.path("codes.csv")))
    for name in ["person0", "person250", "person299"] {
      let line = try text("\(payloads)/\(name).code").dropLast()
      #expect(page.contains("<pre>\(line)</pre>") && table.contains(",\(line)\n"), "\(name)")
    }
    #expect(page.hasPrefix("<!doctype html>\n<html lang=\"ko\">") && page.hasSuffix("</html>\n"))
    #expect(page.components(separatedBy: "<article").count == 301 && page.contains("person299 등록"))
    #expect(try mode(sheets) == 0o600)
  }

  @Test(arguments: ["payloads", "sheets.html"])
  func `existing files are not overwritten with the codes of a list, and then no code is issued or left behind`(
    name: String
  )
    async throws
  {
    try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
    let others = ["--codes", folder.path("codes.csv"), "--payloads", payloads, "--sheets", sheets]
    await #expect(throws: ServerError.self) { try await enrol("username\nmina\n", others) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(name)).isEmpty)
    #expect(["codes.csv", "payloads", "sheets.html"].filter(isThere) == [name])
    #expect(try await openCodes() == 0)
  }

  @Test func `a symbolic link in place of the folder or the file for codes is not followed`() async throws {
    try FileManager.default.createDirectory(atPath: folder.path("theirs"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: payloads, withDestinationPath: folder.path("theirs"))
    try FileManager.default.createSymbolicLink(atPath: sheets, withDestinationPath: folder.path("theirs/sheets"))
    for option in [["--payloads", payloads], ["--sheets", sheets]] {
      await #expect(throws: ServerError.self) { try await enrol("username\nmina\n", option) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("theirs")).isEmpty)
  }

  @Test(arguments: [[], ["--language", "ko", "--codes", "c"], ["--sheets", "s", "--language", "fr"]])
  func `refuses a list without a folder or file for its codes, a language without sheets, and an unknown language`(
    options: [String]
  ) {
    #expect(throws: (any Error).self) { try EnrolListCommand.parse(["people.csv", "--state", "d"] + options) }
  }

  // MARK: No room

  private static let payload = EnrolmentPayload(
    op: .registration, server: "https://uaf.test", username: "mina", authCode: "c0de", expires: 1_900_000_000)

  @Test func `a payload for which the disk had no room leaves no file`() throws {
    let full = try PayloadFolder(path: payloads) { bytes, descriptor in
      _ = DescriptorWriter.write(Array(bytes.prefix(9)), to: descriptor)
      errno = ENOSPC
      return false
    }
    let expected = ServerError.unusableFile(
      path: payloads + "/mina.code", reason: "cannot be written: No space left on device")
    #expect(throws: expected) { try full.add([ListedCode(payload: Self.payload)]) }
    #expect(try names().isEmpty)
  }

  @Test func `a full disk is named as the reason why the file of codes cannot be written`() throws {
    let full = try CodeFile(path: sheets) { _, _ in
      errno = ENOSPC
      return false
    }
    #expect(throws: ServerError.unusableFile(path: sheets, reason: "cannot be written: No space left on device")) {
      try full.add("text")
    }
  }

  @Test func `codes of a list that could not be written are closed again, and somebody else's file is kept`()
    async throws
  {
    // A file of that name exists when the codes are written. This fails like a full disk at the second person's file.
    let local = try StateOption.parse(["--state", state.path]).link(server: nil)
    let outputs: [any CodeOutput] = [try PayloadFolder(path: payloads)]
    try "theirs".write(toFile: payloads + "/jun.code", atomically: false, encoding: .utf8)
    let people = try PeopleList(parsing: Array("username\nmina\njun\n".utf8)).people
    let command = try EnrolListCommand.parse(["people.csv", "--state", state.path, "--payloads", payloads])
    await #expect(throws: ServerError.self) {
      try await command.hand(people[...], to: outputs, EnrolListAdministration(local.environment), by: local.caller)
    }
    #expect(try text(payloads + "/jun.code") == "theirs")
    #expect(try await openCodes() == 0)
  }
}
