import Foundation
import GRDB
import Testing

@testable import SQLiteStore
@testable import UAFServer

/// The store in a state folder.
final class ServerDirectoryStoreTests {
  let state: ServerDirectory

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "uaf-server-\(UUID().uuidString)")
    state = try ServerDirectory(path: folder.path, create: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: state.path)
  }

  @Test func `only the owner of the state folder can access the store`() throws {
    _ = try state.openStore(create: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: state.path) {
      let attributes = try FileManager.default.attributesOfItem(atPath: state.file(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  @Test func `a state folder whose store a later version has changed is refused`() async throws {
    let store = try state.openStore(create: true)
    try await store.database.write { db in try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('2')") }
    #expect(throws: ServerError.newerDatabase) { _ = try self.state.openStore(create: true) }
  }
}
