/// One row of a result; its values are those of PostgreSQL's binary format.
struct QueryRow {
  let result: QueryResult
  let number: CInt

  func bytes(_ column: CInt) -> [UInt8]? { result.bytes(number, column) }

  /// The bytes of a column that has a value in each row.
  ///
  /// - Throws: ``PostgreSQLError/unreadable`` for NULL, and so do the others below.
  func requiredBytes(_ column: CInt) throws -> [UInt8] {
    guard let bytes = bytes(column) else { throw PostgreSQLError.unreadable }
    return bytes
  }

  func optionalText(_ column: CInt) throws -> String? {
    guard let bytes = bytes(column) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw PostgreSQLError.unreadable }
    return text
  }

  func text(_ column: CInt) throws -> String {
    guard let text = try optionalText(column) else { throw PostgreSQLError.unreadable }
    return text
  }

  /// A number of two, four or eight bytes.
  func optionalInteger(_ column: CInt) throws -> Int64? {
    guard let bytes = bytes(column) else { return nil }
    guard [2, 4, 8].contains(bytes.count), let first = bytes.first else { throw PostgreSQLError.unreadable }
    return bytes.reduce(first & 0x80 == 0 ? 0 : -1) { $0 << 8 | Int64($1) }
  }

  /// A number in the range of its type.
  func integer<Number: FixedWidthInteger>(_ column: CInt, as type: Number.Type = Int64.self) throws -> Number {
    guard let number = try optionalInteger(column).flatMap({ Number(exactly: $0) }) else {
      throw PostgreSQLError.unreadable
    }
    return number
  }

  func boolean(_ column: CInt) throws -> Bool {
    guard let bytes = bytes(column), bytes.count == 1 else { throw PostgreSQLError.unreadable }
    return bytes[0] != 0
  }
}
