/// What the mouse did, and in which cell of the terminal.
struct MouseEvent: Equatable {
  /// What was done with the left button.
  enum Kind: Equatable {
    case press, drag, release
  }

  let kind: Kind
  /// From 1.
  let column: Int
  /// From 1.
  let row: Int
}
