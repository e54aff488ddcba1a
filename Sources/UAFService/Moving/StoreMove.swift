/// That a store was moved away: what the move is known by, and where the rows are now.
package struct StoreMove: Equatable, Sendable {
  /// Random bytes as text, without a space.
  package let mark: String
  /// Hosts and database, for people; no secret.
  package let place: String

  package init(mark: String, place: String) {
    self.mark = mark
    self.place = place
  }

  /// Reads what ``text`` has written.
  package init(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    mark = parts.first.map(String.init) ?? ""
    place = parts.count > 1 ? String(parts[1]) : ""
  }

  package var text: String { "\(mark) \(place)" }
}
