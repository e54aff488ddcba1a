/// A field of something that is hashed or authenticated: its length in four bytes, big-endian, and its bytes.
///
/// So two lists of fields have the same bytes only if they are the same list.
enum StatementField {
  static func append(_ field: some Collection<UInt8>, to bytes: inout [UInt8]) {
    let count = UInt32(clamping: field.count)
    bytes += (0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * UInt32($0))) }
    bytes += field
  }
}
