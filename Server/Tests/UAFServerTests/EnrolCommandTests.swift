import ArgumentParser
import Foundation
import SQLiteStore
import Testing
import UAFMessages

@testable import UAFServer
@testable import UAFService

/// An enrolment payload contains this server's CA only for a name of this server's certificate.
struct EnrolCommandTests {
  private let folder: String
  private let state: ServerDirectory

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "enrol-\(UUID().uuidString)").path()
    state = try ServerDirectory(path: folder, create: true)
    _ = try state.openStore(create: true)
    _ = try CertificateFiles(development: state, hosts: ["uaf.example.com"], now: 1_800_000_000)
  }

  @Test(arguments: [
    "https://127.0.0.1:8443", "https://[::1]:8443", "https://localhost", "https://uaf.example.com:9/base",
    "https://UAF.example.com",
  ]) func `an enrolment payload for a name in this server's certificate contains the server's CA`(_ url: String) throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(try CertificateFiles.authority(of: state, for: url)?.hasPrefix("-----BEGIN CERTIFICATE-----") == true)
  }

  @Test(arguments: [
    "https://fido.example.com", "https://example.com", "https://192.0.2.1:8443", "https://a.uaf.example.com",
  ])
  func `for a different server's name, 'enrol' makes no payload with this server's CA, and opens no code`(
    _ url: String
  ) async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(throws: ServerError.self) { try CertificateFiles.authority(of: state, for: url) }
    let command = try await EnrolCommand.asyncParse(["alice", "--state", folder, "--server", url])
    await #expect(throws: ServerError.self) { try await command.run() }
    let store = try state.openStore()
    #expect(try await store.read { try !$0.accounts.exists("alice") })
  }

  @Test func `'enrol' shows the characters of the code only at a terminal, and says how many minutes it is valid`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let command = try await EnrolCommand.asyncParse(["mina", "--state", folder])
    let issued: JSONObject = ["code": .string("B9D5-MPJT-B9D5-MPJQ"), "payload": .string("e30")]
    let shown = try command.notes(on: issued, file: nil, atTerminal: true)
    #expect(
      shown.prefix(2) == [
        "enrolment code: B9D5-MPJT-B9D5-MPJQ", "it lets mina register once within 15 minutes; hand it over in private",
      ])
    for file in [nil, "/root/line"] {
      let notes = try command.notes(on: issued, file: file, atTerminal: false)
      #expect(notes.allSatisfy { !$0.contains("MPJT") } && notes[0].contains("within 15 minutes"), "\(notes)")
    }
    #expect(try !command.notes(on: issued, file: "/root/line", atTerminal: true).joined().contains("MPJT"))
  }

  @Test(
    arguments: [
      (1, "1 second"), (59, "59 seconds"), (60, "1 minute"), (90, "90 seconds"), (900, "15 minutes"), (3600, "1 hour"),
      (5400, "90 minutes"), (86_400, "1 day"), (604_800, "7 days"),
    ] as [(Int64, String)]) func `a length of time is told in the largest unit of which it is a whole number`(
      seconds: Int64, text: String
    )
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(Terminal.length(seconds) == text)
  }

  @Test func `--payload-file has the line of the code, and only its owner can read it`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/payload"
    let arguments = ["mina", "--state", folder, "--server", "https://localhost", "--payload-file", path]
    try await EnrolCommand.asyncParse(arguments).run()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let payload = try EnrolmentPayload(encoded: String(text.dropLast()))
    #expect(text.hasSuffix("\n") && payload.username == "mina" && payload.server == "https://localhost")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test(arguments: ["https://localhost", "https://fido.example.com"])
  func `no code is made for a file that exists, and no file is left without a code`(server: String) async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/payload"
    let isThere = server == "https://localhost"
    if isThere { try Data("mine".utf8).write(to: URL(filePath: path)) }
    let command = try await EnrolCommand.asyncParse([
      "mina", "--state", folder, "--server", server, "--payload-file", path,
    ])
    await #expect(throws: ServerError.self) { try await command.run() }
    #expect((try? String(contentsOfFile: path, encoding: .utf8)) == (isThere ? "mine" : nil))
    let store = try state.openStore()
    #expect(try await store.read { try !$0.accounts.exists("mina") })
  }

  @Test func `a server without its own CA puts no CA into an enrolment payload`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.removeItem(atPath: state.authorityPath)
    #expect(try CertificateFiles.authority(of: state, for: "https://fido.example.com") == nil)
  }
}
