/// Reads the body of a record that ``RecordWriter`` wrote; anything else is `damaged`.
struct RecordReader {
  private let bytes: [UInt8]
  private var offset = 1

  /// - Throws: ``StateError/damaged`` for a different version.
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

  /// Whether there is nothing left to read.
  var isAtEnd: Bool { offset == bytes.count }

  /// Throws unless everything was read, except padding.
  func finish() throws(StateError) {
    guard bytes[offset...].allSatisfy({ $0 == 0 }) else { throw .damaged }
  }

  private mutating func take(_ count: Int) throws(StateError) -> ArraySlice<UInt8> {
    guard count <= bytes.count - offset else { throw .damaged }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }
}

/// Writes the body of a record: big-endian integers, and byte strings preceded by a 16-bit length.
struct RecordWriter {
  private(set) var bytes: [UInt8]

  /// Begins with the version of the record's format.
  init(version: UInt8) { bytes = [version] }

  mutating func put(_ value: some FixedWidthInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func put(_ value: Bool) { bytes.append(value ? 1 : 0) }

  /// Writes at most 65,535 bytes.
  ///
  /// Passing more is a programming error; the reader then refuses the record.
  mutating func put(_ value: [UInt8]) {
    put(UInt16(truncatingIfNeeded: value.count))
    bytes += value
  }

  mutating func put(_ value: String) { put(Array(value.utf8)) }

  /// Pads the record with zeros, so that the record keeps its size on disk whatever it contains.
  mutating func pad(to size: Int) {
    if bytes.count < size { bytes += Array(repeating: 0, count: size - bytes.count) }
  }
}
