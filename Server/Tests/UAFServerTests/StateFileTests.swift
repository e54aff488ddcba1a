import Foundation
import Glibc
import NIOSSL
import Testing

@testable import UAFServer
@testable import UAFService

/// Each test has its own folder.
final class StateFileTests {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "uaf-server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  func mode(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test func `a state file is created with its contents and mode, whatever the umask`() async {
    // In a separate process, because the umask applies to all tests of this process.
    await #expect(processExitsWith: .success) {
      umask(0o077)
      let tests = try StateFileTests()
      #expect(try StateFile.create(path: tests.path("a"), mode: 0o644, contents: [1, 2]))
      #expect(try StateFile.create(path: tests.path("b"), mode: 0o600, contents: []))
      #expect(try StateFile.read(path: tests.path("a"), isSecret: false) == [1, 2])
      #expect(try StateFile.read(path: tests.path("b"), isSecret: true) == [])
      #expect(try tests.mode(tests.path("a")) == 0o644)
      #expect(try tests.mode(tests.path("b")) == 0o600)
    }
  }

  @Test func `creating a state file never overwrites another, and leaves nothing else behind`() throws {
    #expect(try StateFile.create(path: path("a"), mode: 0o600, contents: [1]))
    #expect(try !StateFile.create(path: path("a"), mode: 0o600, contents: [2]))
    #expect(try StateFile.read(path: path("a"), isSecret: true) == [1])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
  }

  @Test func `reading a state file that does not exist returns nothing`() throws {
    #expect(try StateFile.read(path: path("a"), isSecret: true) == nil)
  }

  @Test(arguments: [0o640, 0o604, 0o644]) func `refuses a state file with a secret that others can read`(mode: Int)
    throws
  {
    _ = try StateFile.create(path: path("a"), mode: 0o600, contents: [1])
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path("a"))
    #expect(throws: ServerError.self) { _ = try StateFile.read(path: self.path("a"), isSecret: true) }
    #expect(try StateFile.read(path: path("a"), isSecret: false) == [1])
  }

  @Test func `refuses a secret behind a symbolic link, and a state file that is not a regular file`() throws {
    _ = try StateFile.create(path: path("a"), mode: 0o600, contents: [1])
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("a"))
    #expect(throws: ServerError.self) { _ = try StateFile.read(path: self.path("link"), isSecret: true) }
    // SAFETY: the string lives for the call.
    #expect(unsafe mkfifo(path("fifo"), 0o600) == 0)
    #expect(throws: ServerError.self) { _ = try StateFile.read(path: self.path("fifo"), isSecret: true) }
    #expect(throws: ServerError.self) { _ = try StateFile.read(path: self.folder.path, isSecret: false) }
  }

  @Test func `refuses a state file that is longer than any that the server writes`() throws {
    let long = [UInt8](repeating: 0, count: StateFile.maximumLength + 1)
    _ = try StateFile.create(path: path("a"), mode: 0o600, contents: long)
    #expect(throws: ServerError.self) { _ = try StateFile.read(path: self.path("a"), isSecret: true) }
  }

  @Test func `the server keeps its keys readable only for their owner`() throws {
    let state = try ServerDirectory(path: path("state"), create: true)
    #expect(try mode(state.path) == 0o700)
    let first = try ServerKeys(state: state, now: { 0 })
    let second = try ServerKeys(state: state, now: { 0 })
    #expect(first.verdictKey.publicKey == second.verdictKey.publicKey)
    #expect(try first.authenticationCode("a", [1]) == second.authenticationCode("a", [1]))
    #expect(try mode(state.secretPath) == 0o600)
    #expect(try mode(state.machineSecretPath) == 0o600)
    #expect(try mode(state.verdictKeyPath) == 0o600)
  }

  @Test func `refuses state files with keys of the wrong length`() throws {
    let state = try ServerDirectory(path: path("state"), create: true)
    _ = try StateFile.create(path: state.secretPath, mode: 0o600, contents: [1])
    #expect(
      throws: ServerError.unusableFile(path: state.secretPath, reason: "is not 32 or 40 or 80 or 120 or 160 bytes long")
    ) {
      _ = try ServerKeys(state: state, now: { 0 })
    }
  }

  @Test func `refuses a state folder that is a file, or that is missing although it must exist`() throws {
    _ = try StateFile.create(path: path("file"), mode: 0o600, contents: [])
    #expect(throws: ServerError.self) { _ = try ServerDirectory(path: self.path("file"), create: true) }
    #expect(throws: ServerError.self) { _ = try ServerDirectory(path: self.path("none"), create: false) }
  }

  @Test func `the server creates the development certificate once`() throws {
    let state = try ServerDirectory(path: path("state"), create: true)
    let first = try CertificateFiles(development: state, hosts: ["127.0.0.1", "fido.test"], now: 1_800_000_000)
    let second = try CertificateFiles(development: state, hosts: [], now: 1_900_000_000)
    #expect(first.chainPEM == second.chainPEM)
    #expect(first.privateKeyPEM == second.privateKeyPEM)
    #expect(try mode(state.privateKeyPath) == 0o600)
    #expect(try first.tlsConfiguration().minimumTLSVersion == .tlsv12)
  }

  @Test func `refuses a development certificate without its key, or the key without it`() throws {
    let state = try ServerDirectory(path: path("state"), create: true)
    _ = try CertificateFiles(development: state, hosts: [], now: 1_800_000_000)
    try FileManager.default.removeItem(atPath: state.privateKeyPath)
    #expect(throws: ServerError.self) {
      _ = try CertificateFiles(development: state, hosts: [], now: 1_800_000_000)
    }
  }

  @Test func `refuses a TLS private key that others can read`() throws {
    let state = try ServerDirectory(path: path("state"), create: true)
    _ = try CertificateFiles(development: state, hosts: [], now: 1_800_000_000)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: state.privateKeyPath)
    #expect(throws: ServerError.self) {
      _ = try CertificateFiles(certificatePath: state.certificatePath, privateKeyPath: state.privateKeyPath)
    }
  }

  @Test(arguments: [
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n", "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n",
  ])
  func `refuses an encrypted private key, and names the file`(text: String) throws {
    _ = try StateFile.create(path: path("chain"), mode: 0o644, contents: [])
    _ = try StateFile.create(path: path("key"), mode: 0o600, contents: Array(text.utf8))
    let error = ServerError.unusableFile(
      path: path("key"), reason: "the key is encrypted: store it without a password, readable only by its owner")
    #expect(throws: error) { try CertificateFiles(certificatePath: path("chain"), privateKeyPath: path("key")) }
  }

  @Test func `the refusal of a wrong certificate or key names the file, and says what belongs there`() throws {
    let state = try ServerDirectory(path: path("state"), create: true)
    let other = try ServerDirectory(path: path("other"), create: true)
    for each in [state, other] { _ = try CertificateFiles(development: each, hosts: [], now: 1_800_000_000) }
    _ = try StateFile.create(path: path("empty"), mode: 0o600, contents: [])
    _ = try StateFile.create(path: path("nonsense"), mode: 0o600, contents: Array("nonsense\n".utf8))

    func refusal(_ certificate: String, _ key: String) -> ServerError? {
      #expect(throws: ServerError.self) {
        _ = try CertificateFiles(certificatePath: certificate, privateKeyPath: key).tlsConfiguration()
      }
    }
    for wrong in [path("empty"), path("nonsense"), state.privateKeyPath] {
      #expect(
        refusal(wrong, state.privateKeyPath)?.description
          == "\(wrong): contains no certificate in PEM: put the chain there, the server's own certificate first")
    }
    for wrong in [path("empty"), path("nonsense")] {
      #expect(
        refusal(state.certificatePath, wrong)?.description
          == "\(wrong): contains no usable private key in PEM: put the certificate's key there")
    }
    #expect(
      refusal(state.certificatePath, other.privateKeyPath)?.description
        == "\(other.privateKeyPath): does not belong to the first certificate in \(state.certificatePath): put that "
        + "certificate's key there"
    )
  }
}
