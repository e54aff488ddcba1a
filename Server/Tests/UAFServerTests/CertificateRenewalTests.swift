import Foundation
import Glibc
import ProgramTesting
import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFServer

/// A renewed certificate, as the package's service takes it: its script copies the files, and SIGHUP has the program read them.
final class CertificateRenewalTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["etc", "state"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }
  }

  /// Writes a new certificate and its key where root keeps them, and returns the certificate.
  private func issue(withKey: Bool = true) throws -> [UInt8] {
    let made = try DevelopmentCertificate.make(
      commonName: "test", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"], notBefore: 1_700_000_000,
      notAfter: 4_000_000_000)
    try Data(made.certificatePEM).write(to: URL(filePath: folder.path("etc/certificate.pem")))
    if withKey {
      try StateFile.replace(path: folder.path("etc/key.pem"), mode: 0o600, contents: made.privateKeyPEM)
    }
    return try X509.certificates(pem: made.certificatePEM)[0]
  }

  /// Runs a program to its end; returns its exit status and its output.
  private func run(_ words: [String]) throws -> (status: Int32, text: String) {
    let output = Pipe()
    let program = try StartedProgram(
      ["/usr/bin/env"] + words, input: .file(.nullDevice), output: .pipe(output), errors: .shared)
    let data = output.fileHandleForReading.readDataToEndOfFile()
    return (program.wait(), String(decoding: data, as: UTF8.self))
  }

  /// Runs the script with which the service copies the files.
  private func copy() throws -> (status: Int32, text: String) {
    let root = (0..<4).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
    let script = root.appending(path: "systemd/uaf-server-certificate").path(percentEncoded: false)
    return try run(["sh", script, folder.path("etc"), folder.path("tls"), String(geteuid())])
  }

  private func served(at port: String) throws -> [UInt8] {
    let script = "import ssl, sys; sys.stdout.write(ssl.get_server_certificate(('127.0.0.1', int(sys.argv[1]))))"
    return try X509.certificates(pem: Array(run(["python3", "-c", script, port]).text.utf8))[0]
  }

  @Test func `the script refuses a folder without certificate or key, and makes copies that only the server can read`()
    throws
  {
    #expect(try copy().status == 2)
    _ = try issue()
    try FileManager.default.removeItem(atPath: folder.path("etc/key.pem"))
    let missing = try copy()
    #expect(missing.status == 2 && missing.text.hasPrefix("<3>certificate.pem or key.pem is missing in "))
    #expect(!FileManager.default.fileExists(atPath: folder.path("tls")))
    _ = try issue()
    #expect(try copy().status == 0)
    for (name, mode) in [("key.pem", 0o400), ("certificate.pem", 0o444)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("tls/\(name)"))
      #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("tls")).sorted() == [
        "certificate.pem", "key.pem",
      ])
  }

  @Test func `a second certificate is served after SIGHUP, and of a broken one the old goes on being served`() throws {
    let first = try issue()
    #expect(try copy().status == 0)
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(filePath: own).deletingLastPathComponent().appending(path: "uaf-server").path(percentEncoded: false)
    let (output, log) = (Pipe(), Pipe())
    let server = try StartedProgram(
      [
        path, "serve", "--state", folder.path("state"), "--listen", "127.0.0.1:0", "--certificate",
        folder.path("tls/certificate.pem"), "--key", folder.path("tls/key.pem"),
      ], input: .file(.nullDevice), output: .pipe(output), errors: .pipe(log))
    defer {
      server.kill()
      server.wait()
    }
    let line = try #require(Self.line(of: output) { $0.hasPrefix("listening on ") })
    let port = try #require(line.split(separator: ":").last.map(String.init))
    #expect(try served(at: port) == first)
    let second = try issue()
    // Without the script, a reload sees nothing new.
    #expect(try served(at: port) == first)
    #expect(try copy().status == 0)
    kill(server.identifier, SIGHUP)
    #expect(Self.line(of: log) { $0.contains("certificates until=") } != nil)
    #expect(try served(at: port) == second)
    // A certificate without its key.
    _ = try issue(withKey: false)
    #expect(try copy().status == 0)
    kill(server.identifier, SIGHUP)
    #expect(Self.line(of: log) { $0.contains("certificates-not-read") } != nil)
    #expect(try served(at: port) == second)
  }

  /// Waits for a line; nil if the program ends before.
  private static func line(of pipe: Pipe, _ isWanted: (String) -> Bool) -> String? {
    var bytes: [UInt8] = []
    while let next = try? pipe.fileHandleForReading.read(upToCount: 1), let byte = next.first {
      guard byte == UInt8(ascii: "\n") else {
        bytes.append(byte)
        continue
      }
      let line = String(decoding: bytes, as: UTF8.self)
      if isWanted(line) { return line }
      bytes = []
    }
    return nil
  }
}
