import Foundation
import Glibc
import Testing

@testable import UAFServer

/// Which files may be at the path of the server's socket before the server listens there.
final class ProxySocketTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path

  init() throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  private var path: String { folder + "/socket" }

  /// Makes a socket at the path; returns its descriptor.
  private func listening() throws -> CInt {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // SAFETY: the path is shorter than `sun_path`; a sockaddr_un is passed with its length.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
    let result = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0 && listen(descriptor, 1) == 0)
    return descriptor
  }

  @Test func `the server listens at a free path, and replaces a socket on which nobody listens any longer`() throws {
    try ProxySocket(path: path).prepare()
    let descriptor = try listening()
    // A process that a different test is starting may have a copy of the descriptor for a moment. This ends all copies.
    try #require(shutdown(descriptor, CInt(SHUT_RDWR)) == 0)
    close(descriptor)
    try ProxySocket(path: path).prepare()
  }

  @Test func `the server refuses to replace a socket on which somebody listens`() throws {
    let descriptor = try listening()
    defer { close(descriptor) }
    #expect(throws: ServerError.cannotListen(address: "unix:\(path)", errorNumber: EADDRINUSE)) {
      try ProxySocket(path: self.path).prepare()
    }
  }

  @Test func `the server refuses a path for its socket where something else is, and leaves that untouched`() throws {
    for isFolder in [false, true] {
      if isFolder {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      } else {
        try Data("mine".utf8).write(to: URL(filePath: path))
      }
      #expect(throws: ServerError.self) { try ProxySocket(path: self.path).prepare() }
      #expect(FileManager.default.fileExists(atPath: path))
      try FileManager.default.removeItem(atPath: path)
    }
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder + "/elsewhere")
    #expect(throws: ServerError.self) { try ProxySocket(path: self.path).prepare() }
  }

  @Test func `the server refuses a folder for its socket that does not exist, or that others can write to`() throws {
    #expect(throws: ServerError.self) { try ProxySocket(path: self.folder + "/none/socket").prepare() }
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
    #expect(throws: ServerError.self) { try ProxySocket(path: self.path).prepare() }
  }

  @Test func `only owner and group may connect to the server's socket`() throws {
    let descriptor = try listening()
    defer { close(descriptor) }
    try ProxySocket(path: path).open()
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o660)
  }
}
