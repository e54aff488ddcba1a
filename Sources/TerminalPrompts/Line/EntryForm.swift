/// How an entry is read at a terminal.
package struct EntryForm: Equatable {
  /// What is seen of it.
  package enum Display: Equatable {
    /// Nothing.
    case hidden
    /// One ``mask`` for each character.
    case masked
    /// The entry itself.
    case shown
    /// So many digits as they are typed, and ``mask`` for what follows them or is no digit: the number of a list.
    ///
    /// Whoever overlooks the list enters a value here.
    case number(digits: Int)
  }

  /// What is seen of it.
  package var display: Display
  /// The most bytes taken.
  package var capacity: Int
  /// The entry is complete at so many characters, without Enter; nil: at Enter.
  package var length: Int?
  /// Whether it follows an entry that was complete without Enter: an Enter that comes first belongs to that one.
  package var followsFull = false

  /// A form with room for `capacity` bytes, complete at `length` characters or, where that is nil, at Enter.
  package init(display: Display, capacity: Int, length: Int? = nil, followsFull: Bool = false) {
    self.display = display
    self.capacity = capacity
    self.length = length
    self.followsFull = followsFull
  }

  /// ASCII, so that it is one cell wide in every locale and font.
  static let mask = "*"
}
