/// The bytes that both ends hash or authenticate: what for, a zero byte, and then what is stated.
///
/// Numbers are big-endian. A field stands after its length in four bytes, so no two lists of fields have the same bytes.
struct Statement {
  private(set) var bytes: [UInt8]

  /// - Parameter use: what the bytes are for, as docs/protocol.md has it; no two uses have the same.
  init(_ use: String) { bytes = Array(use.utf8) + [0] }

  /// Adds bytes whose number is known to both ends.
  mutating func add(bare: [UInt8]) { bytes += bare }

  mutating func add(_ number: some FixedWidthInteger) {
    bytes += stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  mutating func add(field: some Collection<UInt8>) {
    add(UInt32(clamping: field.count))
    bytes += field
  }

  mutating func add(fields: [String]) {
    for field in fields { add(field: field.utf8) }
  }
}
