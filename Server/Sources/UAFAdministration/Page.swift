import FidoResults

/// Some rows of a longer list, in the order of their keys.
///
/// The next page begins after a key and not at an offset. So every page takes the same time, and rows that are added or removed
/// in between do not shift the others.
package struct Page<Row: Sendable>: Sendable {
  package let rows: [Row]
  /// The key after which the next page begins; nil on the last page.
  package let next: String?

  package init(rows: [Row], next: String?) {
    self.rows = rows
    self.next = next
  }
}

/// How many rows a whole list has.
///
/// Rows are counted only so far that the count takes a few milliseconds, however many there are.
package struct RowTotal: Equatable, Sendable {
  /// The most rows that are counted.
  package static let mostCounted = 10_000
  /// The most rows that are counted if an index suffices for that.
  package static let mostOfIndex = 100_000

  package let rows: Int
  /// Whether there are more.
  package let hasMore: Bool

  /// - Parameters:
  ///   - counted: the rows that were counted, at most one more than `most`.
  ///   - most: how many rows were to be counted at most.
  package init(counted: Int, most: Int = mostCounted) {
    rows = min(counted, most)
    hasMore = counted > most
  }

  /// A number that is known without counting.
  package init(exactly rows: Int) {
    self.rows = rows
    hasMore = false
  }
}

/// The number of rows on a page.
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
  /// Makes a page from rows of which one more was read than is shown: the extra row means that a further page follows.
  init(_ rows: [Row], limit: Int, key: (Row) -> String) {
    let shown = Array(rows.prefix(limit))
    self.init(rows: shown, next: rows.count > limit ? shown.last.map(key) : nil)
  }
}

/// The rules for the reason that a caller gives for an operation.
enum ReasonText {
  /// The longest reason, in bytes of UTF-8.
  static let maximum = 500

  /// - Throws: ``AdministrationRefusal/invalid(field:_:)`` if the text is longer, or contains invisible characters.
  static func check(_ text: String) throws(AdministrationRefusal) {
    guard text.utf8.count <= maximum else {
      throw .invalid(field: "reason", .tooLong(bytes: maximum))
    }
    if let hidden = Text.firstHidden(in: text) { throw .invalid(field: "reason", .hidden(character: hidden)) }
  }
}
