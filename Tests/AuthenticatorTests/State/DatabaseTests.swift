import Testing

@testable import Authenticator

/// Each statement is prepared once and run many times: one run must not change what the next run does.
@Suite struct DatabaseTests {
  private static let add = "INSERT INTO pair VALUES (?, ?)"
  private static let all = "SELECT key, value FROM pair ORDER BY key"

  private let folder = StateFolder()
  private let database: Database

  init() throws {
    StateFolder.write(folder.path + "/pairs.db", [])
    database = try Database(path: folder.path + "/pairs.db")
    try database.execute("CREATE TABLE pair (key BLOB PRIMARY KEY, value BLOB NOT NULL)")
  }

  @Test func `a statement keeps no parameter of its last run`() throws {
    try database.query(Self.add, [[1], [10]])
    try database.query(Self.add, [[2], []])
    #expect(try database.query(Self.all) == [[[1], [10]], [[2], []]])
    // A parameter that is not bound is NULL, and not the parameter of the last run.
    #expect(throws: StateError.self) { try database.query(Self.add, [[3]]) }
    #expect(try database.query(Self.all).count == 2)
  }

  @Test func `a statement that SQLite refused can be run again`() throws {
    try database.query(Self.add, [[1], [10]])
    #expect(throws: StateError.self) { try database.query(Self.add, [[1], [11]]) }
    try database.query(Self.add, [[2], [20]])
    #expect(try database.query(Self.all) == [[[1], [10]], [[2], [20]]])
  }

  @Test func `refuses too many parameters, and runs nothing`() throws {
    #expect(throws: StateError.self) { try database.query(Self.add, [[1], [2], [3]]) }
    #expect(try database.query(Self.all).isEmpty)
  }

  @Test func `each run reads what other connections have written since the last run`() throws {
    let other = try Database(path: folder.path + "/pairs.db")
    #expect(try database.query(Self.all).isEmpty)
    try other.write { () throws(StateError) in _ = try other.query(Self.add, [[1], [10]]) }
    #expect(try database.query(Self.all) == [[[1], [10]]])
    // A read that kept its lock would prevent the other connection from writing.
    try other.query(Self.add, [[2], [20]])
    try other.execute("ALTER TABLE pair ADD COLUMN more")
    #expect(try database.query(Self.all).count == 2, "prepared anew for other tables")
  }

  @Test func `a refused transaction changes nothing, and the next one works`() throws {
    #expect(throws: StateError.absent) {
      try database.write { () throws(StateError) in
        try database.query(Self.add, [[1], [10]])
        throw .absent
      }
    }
    #expect(try database.query(Self.all).isEmpty)
    try database.write { () throws(StateError) in _ = try database.query(Self.add, [[1], [10]]) }
    #expect(try database.query(Self.all).count == 1)
  }

  @Test func `a text that is not SQL is refused each time it is run`() throws {
    for _ in 0..<2 {
      #expect(throws: StateError.database(code: 1)) { try database.query("SELECT nothing FROM nowhere") }
    }
  }
}
