/// A value of a row that is moved from one store to another.
package enum MovedValue: Equatable, Sendable {
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  /// The row has no value there.
  case none
}
