/// What was pressed.
enum Key: Equatable {
  /// A byte of a character, or of a control key.
  case byte(UInt8)
  case up, down, left, right
  /// The mouse, with its left button.
  case mouse(MouseEvent)
  /// A key without a meaning here.
  case other
}
