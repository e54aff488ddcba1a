import Foundation
import Glibc
import Testing

@testable import UAFServer
@testable import UAFService

/// The server acts on the contents of these files and folders, so others must not be able to change them.
///
/// Each test has its own folder.
final class TrustedPathTests {
  let folder: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "uaf-server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    folder = url.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  private func mode(_ mode: Int, _ name: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
  }

  private func file(_ name: String) throws {
    _ = try StateFile.create(path: path(name), mode: 0o644, contents: [1])
  }

  private func state(_ name: String = "state") throws -> ServerDirectory {
    try ServerDirectory(path: path(name), create: true)
  }

  /// Why a path is refused; nil if it is not.
  private func refusal(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return "\(error)" }
    return nil
  }

  @Test(arguments: [0o777, 0o770, 0o722, 0o720, 0o702])
  func `refuses a state folder that others can write to, and says path, mode and what to do`(mode number: Int) throws {
    _ = try ServerKeys(state: state(), now: { 0 })
    try mode(number, "state")
    let text = refusal { _ = try self.state() }
    #expect(text?.hasPrefix("\(path("state")): others can write to it (mode \(String(number, radix: 8)))") == true)
    #expect(text?.contains("chmod go-w \(path("state"))") == true)
  }

  @Test(arguments: [0o700, 0o750, 0o711, 0o755]) func `accepts a state folder that others can only read`(
    mode number: Int
  )
    throws
  {
    _ = try state()
    try mode(number, "state")
    #expect(refusal { _ = try self.state() } == nil)
  }

  @Test func `a new state folder, and missing folders above it, are created only for their owner`() throws {
    _ = try state("a/b")
    let modes = try ["a", "a/b"].map { name in
      try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }
    #expect(modes == [0o700, 0o700])
  }

  @Test(arguments: [
    "server.db", "server.db-wal", "server.secret", "machine.secret", "verdict.key", "verdict.pub", "ca.pem", "key.pem",
  ])
  func `refuses a state folder with a file that others can write to, or with a link instead of a file`(name: String)
    throws
  {
    let state = try state()
    _ = try StateFile.create(path: state.file(name), mode: 0o600, contents: [])
    try mode(0o620, "state/\(name)")
    #expect(refusal { _ = try self.state() }?.contains("state/\(name): others can write") == true)
    try FileManager.default.removeItem(atPath: state.file(name))
    try FileManager.default.createSymbolicLink(atPath: state.file(name), withDestinationPath: "/etc/passwd")
    #expect(refusal { _ = try self.state() }?.contains("state/\(name): is not a regular file") == true)
  }

  @Test func `refuses a state folder below one that others can write to, unless that is root's and sticky, like /tmp`()
    throws
  {
    _ = try state("a/b")
    try mode(0o777, "a")
    #expect(refusal { _ = try self.state("a/b") }?.hasPrefix("\(path("a")): others can write") == true)
    try mode(0o1777, "a")
    // SAFETY: no pointers.
    let isRoot = geteuid() == 0
    #expect((refusal { _ = try self.state("a/b") } == nil) == isRoot)
  }

  @Test func `refuses a state folder behind a symbolic link, at the end of its path or before`() throws {
    _ = try state("a/b")
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("a"))
    #expect(refusal { _ = try self.state("link") }?.contains("link: is a symbolic link") == true)
    #expect(refusal { _ = try self.state("link/b") }?.contains("link: is a symbolic link") == true)
  }

  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func `refuses a state folder that belongs to somebody else, and names the uid`()
    throws
  {
    let state = try state()
    try file("given")
    _ = try StateFile.create(path: state.databasePath, mode: 0o600, contents: [])
    // SAFETY: the strings live for the calls.
    for name in [path("given"), state.databasePath] { #expect(unsafe chown(name, 65_534, 65_534) == 0) }
    let text = refusal { _ = try StateFile.read(path: self.path("given"), isSecret: false) }
    #expect(text?.contains("belongs to uid 65534") == true)
    #expect(refusal { _ = try self.state() }?.contains("server.db: belongs to uid 65534") == true)
    #expect(unsafe chown(path("state"), 65_534, 65_534) == 0)
    #expect(refusal { _ = try self.state() }?.hasPrefix("\(path("state")): belongs to uid 65534") == true)
  }

  @Test func `refuses a file named on the command line that others can write to or replace`()
    throws
  {
    try file("policy")
    #expect(try StateFile.read(path: path("policy"), isSecret: false) == [1])
    try mode(0o664, "policy")
    #expect(throws: ServerError.self) { _ = try StateFile.read(path: self.path("policy"), isSecret: false) }
    try mode(0o644, "policy")
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
    #expect(throws: ServerError.self) { _ = try StateFile.read(path: self.path("policy"), isSecret: false) }
    #expect(throws: ServerError.self) { _ = try MetadataFolder(path: self.folder).models() }
  }

  @Test
  func `links to a certificate are followed if each folder on the path is trusted, and a loop of links is refused`()
    throws
  {
    _ = try state("live")
    _ = try state("archive")
    _ = try state("open")
    try file("archive/chain1.pem")
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: path("live/chain.pem"), withDestinationPath: "../archive/chain1.pem")
    try manager.createSymbolicLink(atPath: path("absolute"), withDestinationPath: path("live/./chain.pem"))
    for name in ["live/chain.pem", "absolute"] {
      #expect(try StateFile.read(path: path(name), isSecret: false) == [1])
    }
    try manager.createSymbolicLink(atPath: path("open/chain.pem"), withDestinationPath: path("archive/chain1.pem"))
    try manager.createSymbolicLink(atPath: path("through"), withDestinationPath: path("open/chain.pem"))
    try mode(0o777, "open")
    #expect(throws: ServerError.self) { _ = try StateFile.read(path: self.path("through"), isSecret: false) }
    try manager.createSymbolicLink(atPath: path("circle"), withDestinationPath: "circle")
    #expect(throws: ServerError.self) { _ = try StateFile.read(path: self.path("circle"), isSecret: false) }
    try manager.createSymbolicLink(atPath: path("nowhere"), withDestinationPath: "gone")
    #expect(try StateFile.read(path: path("nowhere"), isSecret: false) == nil)
  }

  @Test func `accepts a state folder's path relative to the working folder`() throws {
    let here = FileManager.default.currentDirectoryPath
    #expect(try TrustedPath.absolute("state") == "\(here)/state")
    #expect(try TrustedPath.absolute("/state") == "/state")
  }
}
