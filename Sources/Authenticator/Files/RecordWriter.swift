/// Writes the body of a record: big-endian integers, and bytes behind a 16-bit length.
struct RecordWriter {
  private(set) var bytes: [UInt8]

  /// Begins with the version of the record's form.
  init(version: UInt8) { bytes = [version] }

  mutating func put(_ value: some FixedWidthInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func put(_ value: Bool) { bytes.append(value ? 1 : 0) }

  /// At most 65,535 bytes; more is a programming error, which the reader then refuses.
  mutating func put(_ value: [UInt8]) {
    put(UInt16(truncatingIfNeeded: value.count))
    bytes += value
  }

  mutating func put(_ value: String) { put(Array(value.utf8)) }

  /// Fills up with zeros, so that the record keeps its size on disk whatever it holds.
  mutating func pad(to size: Int) {
    if bytes.count < size { bytes += Array(repeating: 0, count: size - bytes.count) }
  }
}
