/// A value of a statement, as PostgreSQL's binary format has it.
enum Parameter {
  case integer(Int64?)
  case text(String?)
  case bytes([UInt8]?)
  case integers([Int64])
  case texts([String])
  case byteStrings([[UInt8]])

  static func integer(_ number: some BinaryInteger) -> Parameter { .integer(Int64?(Int64(clamping: number))) }

  /// The type's number in PostgreSQL's catalogue (pg_type.dat): int8, text, bytea, and their arrays.
  var type: UInt32 {
    switch self {
    case .integer: 20
    case .text: 25
    case .bytes: 17
    case .integers: 1016
    case .texts: 1009
    case .byteStrings: 1001
    }
  }

  /// The value's bytes; nil for NULL.
  var encoded: [UInt8]? {
    switch self {
    case .integer(let number): number.map { Self.bigEndian($0) }
    case .text(let text): text.map { Array($0.utf8) }
    case .bytes(let bytes): bytes
    case .integers(let numbers): Self.array(numbers.map { Self.bigEndian($0) }, of: 20)
    case .texts(let texts): Self.array(texts.map { Array($0.utf8) }, of: 25)
    case .byteStrings(let strings): Self.array(strings, of: 17)
    }
  }

  /// One dimension that begins with index 1, without NULL.
  private static func array(_ elements: [[UInt8]], of type: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20 + elements.reduce(0) { $0 + $1.count + 4 })
    bytes += bigEndian(Int32(elements.isEmpty ? 0 : 1)) + bigEndian(Int32(0)) + bigEndian(type)
    if !elements.isEmpty { bytes += bigEndian(Int32(clamping: elements.count)) + bigEndian(Int32(1)) }
    for element in elements {
      bytes += bigEndian(Int32(clamping: element.count))
      bytes += element
    }
    return bytes
  }

  private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
