import Foundation
import HostSystem
import Synchronization
import Testing

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// The file with a line for each signed head, on a disk that becomes full.
@Suite struct AuditHeadFilesTests {
  /// A disk on which only this many further bytes fit.
  private final class Disk: Sendable {
    let room = Mutex(Int.max)

    func write(_ bytes: [UInt8], _ descriptor: CInt) -> Bool {
      let part = room.withLock { room in
        let part = min(room, bytes.count)
        room -= part
        return part
      }
      guard DescriptorWriter.write(Array(bytes.prefix(part)), to: descriptor) else { return false }
      if part < bytes.count { errno = ENOSPC }
      return part == bytes.count
    }
  }

  private let server: TestServer
  private let folder: TemporaryFolder
  private let disk = Disk()

  init() throws {
    server = try TestServer()
    folder = try TemporaryFolder()
  }

  private func files() throws -> AuditHeadFiles {
    let state = try ServerDirectory(path: folder.path("state"), create: true)
    return AuditHeadFiles(state: state, list: folder.path("heads"), append: { [disk] in disk.write($0, $1) })
  }

  private func head(_ number: Int64) throws -> StoredHead {
    let link = AuditLink(number: number, hash: [UInt8](repeating: 3, count: 32))
    return try AuditHeadKeys.sign(
      AuditHead(link: link, signedAt: 1, previous: number - 1), with: server.environment.keys.auditKey)
  }

  private func lines() throws -> [String] {
    try AuditHeadFiles.tokens(Array(Data(contentsOf: URL(filePath: folder.path("heads")))))
  }

  @Test func `after a full disk has cut a line of a head, a new line follows, and no head is missing`() throws {
    let files = try files()
    let heads = try (Int64(1)...4).map(head)
    files.add(heads[0])
    try files.write()
    disk.room.withLock { $0 = 40 }
    files.add(heads[1])
    #expect(throws: ServerError.self) { try files.write() }
    files.add(heads[2])
    #expect(throws: ServerError.self) { try files.write() }
    disk.room.withLock { $0 = .max }
    files.add(heads[3])
    try files.write()
    #expect(
      try lines() == [
        heads[0].token, String(heads[1].token.prefix(40)), heads[1].token, heads[2].token, heads[3].token,
      ])
  }

  @Test func `heads whose flush to the disk failed are kept and written again`() throws {
    let isFull = Mutex(true)
    let state = try ServerDirectory(path: folder.path("state"), create: true)
    let files = AuditHeadFiles(
      state: state, list: folder.path("heads"),
      flush: { _ in
        errno = ENOSPC
        return !isFull.withLock { $0 }
      })
    let head = try head(1)
    files.add(head)
    #expect(throws: ServerError.self) { try files.write() }
    // As after a crash, what was not flushed is lost.
    try Data().write(to: URL(filePath: folder.path("heads")))
    isFull.withLock { $0 = false }
    try files.write()
    try files.write()
    #expect(try lines() == [head.token])
  }

  @Test func `the server refuses a pipe as a file for heads, and does not wait for the pipe`() throws {
    #expect(unsafe mkfifo(folder.path("heads"), 0o600) == 0)
    let files = try files()
    files.add(try head(1))
    #expect(throws: ServerError.self) { try files.write() }
    let reader = unsafe open(folder.path("heads"), O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    #expect(throws: ServerError.self) { try files.write() }
  }

  @Test func `after a crash has cut a line of a head, a new line follows`() throws {
    try Data("eyJ0eXA".utf8).write(to: URL(filePath: folder.path("heads")))
    let files = try files()
    let head = try head(1)
    files.add(head)
    try files.write()
    #expect(try lines() == ["eyJ0eXA", head.token])
  }

  @Test func `heads that could not be written are written later, even if no further head was signed since`() throws {
    let files = try files()
    let head = try head(1)
    disk.room.withLock { $0 = 0 }
    files.add(head)
    #expect(throws: ServerError.self) { try files.write() }
    disk.room.withLock { $0 = .max }
    try files.write()
    try files.write()
    #expect(try lines() == [head.token])
  }

  @Test func `verification skips a cut line in a file of heads that was kept elsewhere, and in no other file`() throws {
    let whole = try head(2).token
    let path = folder.path("heads")
    for length in [1, 20, whole.utf8.count - 1] {
      try Data("\(whole.prefix(length))\n\(whole)\n".utf8).write(to: URL(filePath: path))
      let heads = try AuditVerifyCommand.heads(path, server.headKeys(), passesCut: true)
      #expect(heads?.map(\.link.number) == [2])
      #expect(throws: ServerError.self) { try AuditVerifyCommand.heads(path, server.headKeys()) }
    }
  }

  @Test func `verification refuses a complete line of a file of heads that nobody has signed`() throws {
    let whole = try head(2).token
    let path = folder.path("heads")
    let forged = String(whole.dropLast(4)) + "AAAA"
    try Data("\(forged)\n".utf8).write(to: URL(filePath: path))
    #expect(throws: ServerError.self) {
      try AuditVerifyCommand.heads(path, server.headKeys(), passesCut: true)
    }
  }
}
