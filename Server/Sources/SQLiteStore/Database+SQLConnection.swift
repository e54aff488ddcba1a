import CSQLite
import Foundation
import GRDB
import SQLStore
import UAFService

/// The driver of SQLite. It uses GRDB, which reports why a statement failed, and interrupts it when its task is cancelled.
extension Database: SQLConnection {
  @discardableResult package func run(_ sql: String, _ values: [SQLValue]) throws -> Int {
    try cachedStatement(sql: sql).execute(arguments: Self.arguments(values))
    return changesCount
  }

  package func rows<Value>(
    _ sql: String, _ values: [SQLValue], _ value: (GRDB.Row) throws -> Value
  ) throws -> [Value] {
    let cursor = try Row.fetchCursor(cachedStatement(sql: sql), arguments: Self.arguments(values))
    var found: [Value] = []
    while let row = try cursor.next() { found.append(try value(row)) }
    return found
  }

  package static var like: String { "LIKE" }
  package static var byBytes: String { "" }
  package static var rowNumber: String { "rowid" }
  // The collation of the column ignores case.
  package static func isAAID(_ parameter: String) -> String { "aaid = \(parameter)" }
  package static var jsonTexts: String { "SELECT value FROM json_each(?)" }
  package static var jsonNumbers: String { jsonTexts }
  // The planner has no statistics from which it could see how few rows the index finds.
  package static func table(_ name: String, by index: String) -> String { "\(name) INDEXED BY \(index)" }
  package static func joined(_ values: String) -> String { "group_concat(\(values))" }

  private static func arguments(_ values: [SQLValue]) -> StatementArguments {
    StatementArguments(
      values.map { value in
        switch value {
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): bytes.map(\.databaseBlob).databaseValue
        }
      })
  }
}

extension Row: SQLRow {
  package static var unreadable: any StoreFailure { SQLiteFailure(code: SQLITE_MISMATCH) }

  package func optionalInteger(_ column: CInt) throws -> Int64? { try decode(atIndex: Int(column)) }

  package func optionalText(_ column: CInt) throws -> String? { try decode(atIndex: Int(column)) }

  package func bytes(_ column: CInt) throws -> [UInt8]? {
    try withUnsafeData(atIndex: Int(column)) { $0.map { [UInt8]($0) } }
  }

  package func boolean(_ column: CInt) throws -> Bool { try integer(column) != 0 }
}
