import SQLStore
import UAFService

/// The driver of PostgreSQL.
extension Connection: SQLConnection {
  @discardableResult func run(_ sql: String, _ values: [SQLValue]) throws -> Int {
    try execute(sql, values.map(Parameter.init)).changes
  }

  func rows<Value>(_ sql: String, _ values: [SQLValue], _ value: (QueryRow) throws -> Value) throws -> [Value] {
    try execute(sql, values.map(Parameter.init)).rows.map(value)
  }

  static var like: String { "ILIKE" }
}

extension QueryRow: SQLRow {
  static var unreadable: any StoreFailure { PostgreSQLError.unreadable }
}

extension Parameter {
  init(_ value: SQLValue) {
    self =
      switch value {
      case .integer(let number): .integer(number)
      case .text(let text): .text(text)
      case .bytes(let bytes): .bytes(bytes)
      }
  }
}
