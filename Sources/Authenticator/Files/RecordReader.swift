/// Reads the body of a record that ``RecordWriter`` wrote; anything else is `damaged`.
struct RecordReader {
  private let bytes: [UInt8]
  private var offset = 1

  /// - Throws: ``StateError/damaged`` for another version.
  init(_ bytes: [UInt8], version: UInt8) throws(StateError) {
    guard bytes.first == version else { throw .damaged }
    self.bytes = bytes
  }

  mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(StateError) -> T {
    var value: T = 0
    for byte in try take(T.bitWidth / 8) { value = value << 8 | T(truncatingIfNeeded: byte) }
    return value
  }

  mutating func flag() throws(StateError) -> Bool {
    switch try integer(UInt8.self) {
    case 0: return false
    case 1: return true
    default: throw .damaged
    }
  }

  mutating func data() throws(StateError) -> [UInt8] { Array(try take(Int(try integer(UInt16.self)))) }

  mutating func text() throws(StateError) -> String {
    guard let text = String(validating: try data(), as: UTF8.self) else { throw .damaged }
    return text
  }

  /// Nothing but padding may be left.
  func finish() throws(StateError) {
    guard bytes[offset...].allSatisfy({ $0 == 0 }) else { throw .damaged }
  }

  private mutating func take(_ count: Int) throws(StateError) -> ArraySlice<UInt8> {
    guard count <= bytes.count - offset else { throw .damaged }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }
}
