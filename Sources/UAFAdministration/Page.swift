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
