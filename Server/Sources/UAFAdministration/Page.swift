import FidoResults

/// Some rows of a longer list, in the order of their keys.
///
/// The next page begins after a key, not at an offset: it costs the same wherever it is, and rows that come or go meanwhile
/// move no others.
package struct Page<Row: Sendable>: Sendable {
  package let rows: [Row]
  /// What the next page begins after; nil on the last one.
  package let next: String?

  package init(rows: [Row], next: String?) {
    self.rows = rows
    self.next = next
  }
}

/// How many rows a page has.
package enum PageLimit {
  /// Unless somebody asks for another number.
  package static let standard = 50
  package static let maximum = 200

  /// - Throws: ``AdministrationRefusal/invalid(field:_:)``.
  static func check(_ limit: Int) throws(AdministrationRefusal) {
    guard (1...maximum).contains(limit) else {
      throw .invalid(field: "limit", .outOfRange(1...Int64(maximum), nil))
    }
  }
}

extension Page {
  /// Makes a page of what was read: one row more than it has says that another page follows.
  init(_ rows: [Row], limit: Int, key: (Row) -> String) {
    let shown = Array(rows.prefix(limit))
    self.init(rows: shown, next: rows.count > limit ? shown.last.map(key) : nil)
  }
}

/// Why somebody does something, in their words.
enum ReasonText {
  /// In bytes of UTF-8.
  static let maximum = 500

  /// - Throws: ``AdministrationRefusal/invalid(field:_:)`` for a longer text, and for characters that nobody sees.
  static func check(_ text: String) throws(AdministrationRefusal) {
    guard text.utf8.count <= maximum else {
      throw .invalid(field: "reason", .tooLong(bytes: maximum))
    }
    if let hidden = Text.firstHidden(in: text) { throw .invalid(field: "reason", .hidden(character: hidden)) }
  }
}
