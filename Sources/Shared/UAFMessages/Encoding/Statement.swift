/// The bytes that both ends hash or authenticate: the use, a zero byte, and then the statement.
///
/// Numbers are big-endian. Each field is preceded by its length in four bytes, so no two lists of fields have the same bytes.
struct Statement {
  private(set) var bytes: [UInt8]

  /// - Parameter use: what the bytes are for, as in docs/protocol.md; each use has a different text.
  init(_ use: String) { bytes = Array(use.utf8) + [0] }

  /// Adds bytes whose length both ends know.
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
