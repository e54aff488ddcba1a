import UAFMessages

/// A row of a table as a line of an export: a JSON object with the row's type, and a member for each value.
package enum MovedLine {
  /// Why a line is no row of its table.
  package enum Fault: Error, Equatable {
    /// The member is missing, or its value is none that the column may have.
    case wrongMember(String)
    /// No column has this name.
    case unknownMember(String)
  }

  /// Bytes are base64url, and a column without a value has no member.
  package static func object(_ row: [MovedValue], of table: MovedTable) -> JSONObject {
    var object: JSONObject = ["type": .string(table.type)]
    for (value, column) in zip(row, table.columns) {
      switch value {
      case .integer(let number): object.set(column.name, .integer(number))
      case .text(let text): object.set(column.name, .string(text))
      case .bytes(let bytes): object.set(column.name, .string(Base64URL.encode(bytes)))
      case .none: break
      }
    }
    return object
  }

  /// Reads the members of a line.
  ///
  /// - Returns: a value for each of the table's columns.
  package static func row(_ object: JSONObject, of table: MovedTable) throws(Fault) -> [MovedValue] {
    var row: [MovedValue] = []
    row.reserveCapacity(table.columns.count)
    var found = 1
    for column in table.columns {
      let value = value(object[column.name], of: column)
      guard let value, column.allows(value) else { throw .wrongMember(column.name) }
      if value != .none { found += 1 }
      row.append(value)
    }
    guard object.members.count == found else {
      let names = ["type"] + table.columns.map(\.name)
      throw .unknownMember(object.members.map(\.name).first { !names.contains($0) } ?? "")
    }
    return row
  }

  /// A member's value; nil if it is of another kind.
  private static func value(_ member: JSONValue?, of column: MovedColumn) -> MovedValue? {
    switch (column.kind, member) {
    case (_, .none): .some(.none)
    case (.integer, .integer(let number)?): .integer(number)
    case (.text, .string(let text)?), (.username, .string(let text)?), (.oneOf, .string(let text)?): .text(text)
    case (.bytes, .string(let text)?): (try? Base64URL.decode(text, maximumCount: text.utf8.count)).map { .bytes($0) }
    default: nil
    }
  }
}
