import SQLStore
import UAFService

/// Reads, adds and removes the rows of all tables when a store is moved.
struct ContentsTable: SQLContents {
  let connection: Connection

  func rows(_ table: MovedTable, after key: MovedValue?, limit: Int) throws -> [[MovedValue]] {
    let names = table.columns.map(\.name).joined(separator: ", ")
    let order = Self.key(table)
    let start = key == nil ? "" : " AND \(order) > $2"
    return try connection.execute(
      "SELECT \(names) FROM \(table.name) WHERE \(Self.condition(table))\(start) ORDER BY \(order) LIMIT $1",
      [.integer(limit)] + (key.map { [Self.parameter($0, table.columns[0].kind)] } ?? [])
    ).rows.map { row in
      try table.columns.enumerated().map { try Self.value(row, CInt($0), $1) }
    }
  }

  func add(_ rows: [[MovedValue]], to table: MovedTable) throws {
    let names = table.columns.map(\.name) + table.fixed.map(\.column)
    let places = names.indices.map { "$\($0 + 1)" }
    let overriding = table.isNumbered ? " OVERRIDING SYSTEM VALUE" : ""
    let sql = """
      INSERT INTO \(table.name) (\(names.joined(separator: ", ")))\(overriding) VALUES (\(places.joined(separator: ", ")))
      """
    let fixed = table.fixed.map { Self.parameter($0.value, .text) }
    for (number, row) in rows.enumerated() {
      let parameters = zip(row, table.columns).map { Self.parameter($0, $1.kind) } + fixed
      // All rows are sent before this thread waits for the first result.
      if number == rows.count - 1 {
        try connection.execute(sql, parameters)
      } else {
        try connection.enqueue(sql, parameters)
      }
    }
  }

  func continueNumbers() throws {
    for table in MovedTable.all where table.isNumbered {
      let column = table.columns[0].name
      try connection.execute(
        """
        SELECT setval(pg_get_serial_sequence('\(table.name)', '\(column)'), max(\(column))) FROM \(table.name)
        HAVING max(\(column)) IS NOT NULL
        """)
    }
    // The number of an issued code is the `id` of its row in `enrolment`, a table that is not moved.
    try connection.execute(
      """
      SELECT setval(pg_get_serial_sequence('enrolment', 'id'), max(number)) FROM issuedCode
      HAVING max(number) IS NOT NULL
      """)
    try connection.execute(
      """
      UPDATE auditEnd SET number = a.number, hash = a.hash
      FROM (SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1) AS a
      """)
    try AccountIndexing.rebuild(connection)
  }

  func removeAll() throws {
    try removeRows()
    try connection.execute("UPDATE auditEnd SET number = 0, hash = decode(repeat('00', 32), 'hex')")
  }

  /// The expression by which rows are ordered: texts by their bytes, whatever the database's collation.
  private static func key(_ table: MovedTable) -> String {
    if case .integer = table.columns[0].kind { return table.columns[0].name }
    return "\(table.columns[0].name) COLLATE \"C\""
  }

  /// - Parameter kind: the kind of the column, which determines the type of a NULL.
  private static func parameter(_ value: MovedValue, _ kind: MovedColumn.Kind) -> Parameter {
    switch (value, kind) {
    case (.integer(let number), _): .integer(Int64?(number))
    case (.text(let text), _): .text(text)
    case (.bytes(let bytes), _): .bytes(bytes)
    case (.none, .integer): .integer(Int64?.none)
    case (.none, .bytes): .bytes(nil)
    case (.none, _): .text(nil)
    }
  }

  private static func value(_ row: QueryRow, _ index: CInt, _ column: MovedColumn) throws -> MovedValue {
    switch column.kind {
    case .integer: return try row.optionalInteger(index).map { .integer($0) } ?? .none
    case .bytes: return row.bytes(index).map { .bytes($0) } ?? .none
    case .text, .username, .oneOf: return try row.optionalText(index).map { .text($0) } ?? .none
    }
  }
}
