/// How an entry is read at a terminal.
struct EntryForm: Equatable {
  /// What is seen of it.
  enum Display: Equatable {
    /// Nothing.
    case hidden
    /// One ``mask`` for each character.
    case masked
    /// The entry itself.
    case shown
  }

  /// What is seen of it.
  var display: Display
  /// The most bytes taken.
  var capacity: Int
  /// The entry is complete at so many characters, without Enter; nil: at Enter.
  var length: Int?
  /// Whether it follows an entry that was complete without Enter: an Enter that comes first belongs to that one.
  var followsFull = false

  /// ASCII, so that it is one cell wide in every locale and font.
  static let mask = "*"
}
