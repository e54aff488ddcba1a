import UAFService

/// A store for a test, and raw SQL that both engines understand.
protocol TestDatabase: Sendable {
  var store: any ServerStore { get }

  /// Opens the same store a second time, as another process would.
  func reopened() throws -> any TestDatabase

  /// Bytes written as an SQL literal.
  func literal(_ bytes: [UInt8]) -> String

  func execute(_ sql: String) async throws

  /// Runs SQL on a separate connection immediately, even while this thread has a transaction open.
  func executeBeside(_ sql: String) throws

  /// The columns of each table, by the table's name, without the engine's own tables.
  func columns() async throws -> [String: Set<String>]

  /// Makes the database refuse each change of an account's counters.
  func forbidCounter(of username: String) async throws

  /// The values of a query's only column.
  func texts(_ sql: String) async throws -> [String?]

  /// How many rows have changed since the store was opened, if the engine counts them.
  func changes() async throws -> Int
}

extension TestDatabase {
  /// Groups names of the form "TABLE COLUMN" by table.
  static func grouped(_ names: [String?]) -> [String: Set<String>] {
    var columns: [String: Set<String>] = [:]
    for name in names.compactMap(\.self) {
      let parts = name.split(separator: " ").map(String.init)
      columns[parts[0], default: []].insert(parts[1])
    }
    return columns
  }

  func integers(_ sql: String) async throws -> [Int] {
    try await texts(sql).compactMap { $0.flatMap { Int($0) } }
  }
}

extension [UInt8] {
  var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
