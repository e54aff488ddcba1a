// Purpose: The tables of uaf-server's store, in SQL that SQLite and PostgreSQL both understand. SQLiteStore and PostgreSQLStore have
// a driver each, and what is different or has to be fast. It imports neither GRDB nor libpq. The protocols in UAFService/Store say
// what each table promises.

import UAFService

/// A connection to a database, within a transaction.
///
/// Statements have the parameters `?1`, `?2` and so on. They are prepared once for each text, and so the texts of a table are few.
package protocol SQLConnection: SendableMetatype {
  associatedtype ResultRow: SQLRow

  /// Runs a statement.
  ///
  /// - Parameter values: one for each parameter.
  /// - Returns: how many rows it has changed.
  /// - Throws: the engine's ``StoreFailure``, and so do the others.
  @discardableResult func run(_ sql: String, _ values: [SQLValue]) throws -> Int

  /// Runs a statement to its end.
  ///
  /// - Parameter value: is called for each row, which is gone afterwards. It runs no statement.
  func rows<Value>(
    _ sql: String, _ values: [SQLValue], _ value: (ResultRow) throws -> Value
  ) throws -> [Value]

  // What the engines write differently.

  /// The operator for a pattern to which ASCII letters match in both sizes.
  static var like: String { get }
  /// What follows a text of the table `credential` where bytes are compared, whatever the language of the database.
  static var byBytes: String { get }
  /// The column of `account` and `openRegistration` that numbers their rows in the order in which they came.
  static var rowNumber: String { get }
  /// The condition that a row of `credential` has the AAID of a parameter.
  static func isAAID(_ parameter: String) -> String
  /// The texts of a JSON array, which a question mark stands for, as a list for `IN`.
  static var jsonTexts: String { get }
  /// A table in `FROM`, for an engine that has to be told which index has few rows.
  static func table(_ name: String, by index: String) -> String
  /// The values of a group, with commas between them.
  static func joined(_ values: String) -> String
}

extension SQLConnection {
  @discardableResult package func run(_ sql: String) throws -> Int { try run(sql, []) }

  package func rows<Value>(_ sql: String, _ value: (ResultRow) throws -> Value) throws -> [Value] {
    try rows(sql, [], value)
  }

  /// Runs a statement that has few rows.
  ///
  /// - Returns: the first one's value; nil if there is none.
  package func row<Value>(
    _ sql: String, _ values: [SQLValue] = [], _ value: (ResultRow) throws -> Value
  ) throws -> Value? {
    try rows(sql, values, value).first
  }

  /// Runs a statement that has a row whatever is stored.
  package func requiredRow<Value>(
    _ sql: String, _ values: [SQLValue] = [], _ value: (ResultRow) throws -> Value
  ) throws -> Value {
    guard let found = try row(sql, values, value) else { throw ResultRow.unreadable }
    return found
  }
}

/// A parameter's value; nil is NULL, which has a type too.
package enum SQLValue {
  case integer(Int64?)
  case text(String?)
  case bytes([UInt8]?)

  package static func integer(_ number: some BinaryInteger) -> SQLValue { .integer(Int64?(Int64(clamping: number))) }

  /// Parameters as a list for `IN`, the first of them with this number.
  static func list(_ count: Int, from first: Int) -> String {
    (first..<first + count).map { "?\($0)" }.joined(separator: ", ")
  }
}

/// A row of a statement's result; the first column is 0.
///
/// What is not of a column's type throws ``unreadable`` or an error of the engine.
package protocol SQLRow: SendableMetatype {
  /// What is stored is not what the store has written.
  static var unreadable: any StoreFailure { get }

  func optionalInteger(_ column: CInt) throws -> Int64?
  func optionalText(_ column: CInt) throws -> String?
  /// The bytes of a BLOB, and of a text as they are stored.
  func bytes(_ column: CInt) throws -> [UInt8]?
  /// The value of a comparison.
  func boolean(_ column: CInt) throws -> Bool
}

extension SQLRow {
  /// A number in the range of its type.
  package func integer<Number: FixedWidthInteger>(_ column: CInt, as type: Number.Type = Int64.self) throws -> Number {
    guard let number = try optionalInteger(column).flatMap({ Number(exactly: $0) }) else { throw Self.unreadable }
    return number
  }

  package func text(_ column: CInt) throws -> String {
    guard let text = try optionalText(column) else { throw Self.unreadable }
    return text
  }

  package func requiredBytes(_ column: CInt) throws -> [UInt8] {
    guard let bytes = try bytes(column) else { throw Self.unreadable }
    return bytes
  }
}
