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

  /// Appends the value's bytes to those of the parameters before it.
  ///
  /// - Returns: false for NULL, which has none.
  func append(to bytes: inout [UInt8]) -> Bool {
    switch self {
    case .integer(nil), .text(nil), .bytes(nil): return false
    case .integer(let number?): Self.append(number, to: &bytes)
    case .text(let text?): bytes += text.utf8
    case .bytes(let value?): bytes += value
    case .integers(let numbers):
      Self.appendArray(of: 20, numbers, to: &bytes) { Self.append($0, to: &$1) }
    case .texts(let texts):
      Self.appendArray(of: 25, texts, to: &bytes) { $1 += $0.utf8 }
    case .byteStrings(let strings):
      Self.appendArray(of: 17, strings, to: &bytes) { $1 += $0 }
    }
    return true
  }

  /// One dimension that begins with index 1, without NULL.
  private static func appendArray<Element>(
    of type: UInt32, _ elements: [Element], to bytes: inout [UInt8], _ appendElement: (Element, inout [UInt8]) -> Void
  ) {
    append(Int32(elements.isEmpty ? 0 : 1), to: &bytes)
    append(Int32(0), to: &bytes)
    append(type, to: &bytes)
    guard !elements.isEmpty else { return }
    append(Int32(clamping: elements.count), to: &bytes)
    append(Int32(1), to: &bytes)
    for element in elements {
      // The length is known, and written, when the element is.
      let start = bytes.count
      append(Int32(0), to: &bytes)
      appendElement(element, &bytes)
      let length = Int32(clamping: bytes.count - start - 4)
      for place in 0..<4 { bytes[start + place] = UInt8(truncatingIfNeeded: length >> (24 - 8 * Int32(place))) }
    }
  }

  /// A number in big-endian order.
  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    var shift = number.bitWidth
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
