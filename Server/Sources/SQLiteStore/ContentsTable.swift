import CSQLite
import GRDB
import SQLStore
import UAFService

/// Reads, adds and removes the rows of all tables when a store is moved.
struct ContentsTable: SQLContents {
  let connection: Database

  func rows(_ table: MovedTable, after key: MovedValue?, limit: Int) throws -> [[MovedValue]] {
    let names = Self.names(table)
    let start = key == nil ? "" : " AND \(names[0]) > ?2"
    let statement = try PreparedStatement(
      """
      SELECT \(names.joined(separator: ", ")) FROM \(table.name) WHERE \(Self.condition(table))\(start)
      ORDER BY \(names[0]) LIMIT ?1
      """, on: connection)
    var rows: [[MovedValue]] = []
    try statement.run([.integer(Int64(limit))] + (key.map { [Self.parameter($0)] } ?? [])) { row in
      var values: [MovedValue] = []
      for (index, column) in table.columns.enumerated() { values.append(try Self.value(row, CInt(index), column)) }
      rows.append(values)
    }
    return rows
  }

  func add(_ rows: [[MovedValue]], to table: MovedTable) throws {
    let names = Self.names(table) + table.fixed.map(\.column)
    let places = names.indices.map { "?\($0 + 1)" }
    let statement = try PreparedStatement(
      """
      INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))
      """, on: connection)
    let fixed = table.fixed.map { Self.parameter($0.value) }
    for row in rows { try statement.run(row.map(Self.parameter) + fixed) }
  }

  /// Makes sure that new rows get higher numbers than the moved ones.
  ///
  /// For moved tables, SQLite itself finds the highest number, and the end of the audit's chain is its last row. But the number
  /// of an issued code is the `id` of its row in `enrolment`, a table that is not moved.
  func continueNumbers() throws {
    try connection.execute(
      sql: """
        DELETE FROM sqlite_sequence WHERE name = 'enrolment';
        INSERT INTO sqlite_sequence (name, seq) SELECT 'enrolment', coalesce(max(number), 0) FROM issuedCode;
        """)
    try AccountIndexing.rebuild(connection)
  }

  func removeAll() throws { try removeRows() }

  /// The names of the columns; the number of an account is its `rowid`.
  private static func names(_ table: MovedTable) -> [String] {
    table.columns.map { table.name == "account" && $0.name == "number" ? "rowid" : $0.name }
  }

  private static func parameter(_ value: MovedValue) -> StatementValue {
    switch value {
    case .integer(let number): .integer(number)
    case .text(let text): .text(text)
    case .bytes(let bytes): .bytes(bytes)
    case .none: .bytes(nil)
    }
  }

  private static func value(_ row: borrowing StatementRow, _ index: CInt, _ column: MovedColumn) throws -> MovedValue {
    guard !row.isNull(index) else { return .none }
    switch column.kind {
    case .integer: return .integer(row.integer(index))
    case .bytes: return .bytes(row.bytes(index))
    case .text, .username, .oneOf:
      guard let text = row.text(index) else { throw SQLiteFailure(code: SQLITE_MISMATCH) }
      return .text(text)
    }
  }
}
