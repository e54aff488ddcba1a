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

  @Test func `a server without its own CA puts no CA into an enrolment payload`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.removeItem(atPath: state.authorityPath)
    #expect(try CertificateFiles.authority(of: state, for: "https://fido.example.com") == nil)
  }
}
