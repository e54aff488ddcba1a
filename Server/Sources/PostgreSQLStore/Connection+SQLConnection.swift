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
  static var byBytes: String { #" COLLATE "C""# }
  static var rowNumber: String { "number" }
  // As the index has it.
  static func isAAID(_ parameter: String) -> String { "lower(aaid) = lower(\(parameter))" }
  static var jsonTexts: String { "SELECT json_array_elements_text(?::json)" }
  static func table(_ name: String, by index: String) -> String { name }
  static func joined(_ values: String) -> String { "string_agg(\(values), ',')" }
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
