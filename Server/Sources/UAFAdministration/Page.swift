import FidoResults

/// Some rows of a longer list, in the order of their keys.
///
/// The next page begins after a key, not at an offset: it costs the same wherever it is, and rows that are added or removed in
/// between do not move the others.
package struct Page<Row: Sendable>: Sendable {
  package let rows: [Row]
  /// The key after which the next page begins; nil on the last page.
  package let next: String?

  package init(rows: [Row], next: String?) {
    self.rows = rows
    self.next = next
  }
}

/// How many rows a page has.
package enum PageLimit {
  /// The default.
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
  /// Makes a page from what was read: one extra row says that a further page follows.
  init(_ rows: [Row], limit: Int, key: (Row) -> String) {
    let shown = Array(rows.prefix(limit))
    self.init(rows: shown, next: rows.count > limit ? shown.last.map(key) : nil)
  }
}

/// A caller's reason for an operation, in their words.
enum ReasonText {
  /// In bytes of UTF-8.
  static let maximum = 500

  /// - Throws: ``AdministrationRefusal/invalid(field:_:)`` for a longer text, and for invisible characters.
  static func check(_ text: String) throws(AdministrationRefusal) {
    guard text.utf8.count <= maximum else {
      throw .invalid(field: "reason", .tooLong(bytes: maximum))
    }
    if let hidden = Text.firstHidden(in: text) { throw .invalid(field: "reason", .hidden(character: hidden)) }
  }
}
