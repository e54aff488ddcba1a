/// A column of a table that is moved from one store to another, and what its values may be.
package struct MovedColumn: Equatable, Sendable {
  /// What values are.
  package enum Kind: Equatable, Sendable {
    case integer(ClosedRange<Int64>)
    /// Without U+0000, which PostgreSQL refuses.
    case text
    case username
    /// One of some texts.
    case oneOf([String])
    /// An array of bytes that may be empty; nil for any length.
    case bytes(count: Int?)
  }

  /// Its name in both engines, and the member's in a line.
  package let name: String
  package let kind: Kind
  package let isOptional: Bool

  init(_ name: String, _ kind: Kind, isOptional: Bool = false) {
    self.name = name
    self.kind = kind
    self.isOptional = isOptional
  }

  /// Whether the column may have a value.
  package func allows(_ value: MovedValue) -> Bool {
    switch (kind, value) {
    case (_, .none): isOptional
    case (.integer(let range), .integer(let number)): range.contains(number)
    case (.text, .text(let text)): !text.utf8.contains(0)
    case (.username, .text(let text)): Username.isValid(text)
    case (.oneOf(let texts), .text(let text)): texts.contains(text)
    case (.bytes(let count), .bytes(let bytes)): count == nil || bytes.count == count
    default: false
    }
  }
}

extension MovedColumn {
  /// Seconds since 1970, and other numbers that are never negative.
  static func time(_ name: String, isOptional: Bool = false) -> MovedColumn {
    MovedColumn(name, .integer(0...Int64.max), isOptional: isOptional)
  }

  /// The number by which rows are ordered.
  static func number(_ name: String) -> MovedColumn { MovedColumn(name, .integer(1...Int64.max)) }

  /// A number of 32 bits, such as a counter.
  static func short(_ name: String) -> MovedColumn { MovedColumn(name, .integer(0...Int64(UInt32.max))) }

  static func text(_ name: String, isOptional: Bool = false) -> MovedColumn {
    MovedColumn(name, .text, isOptional: isOptional)
  }

  static func username(_ name: String) -> MovedColumn { MovedColumn(name, .username) }

  static func bytes(_ name: String, count: Int? = nil) -> MovedColumn { MovedColumn(name, .bytes(count: count)) }
}
