/// A parameter of a ``PreparedStatement``.
enum StatementValue {
  case integer(Int64)
  case text(String)
  /// nil is NULL.
  case bytes([UInt8]?)
}
