/// Code points in UTF-8, one at a time: for secrets, which no String may hold.
package enum UTF8Scalar {
  /// The code point that begins at `index`; nil for what RFC 3629 does not allow.
  package static func first(_ bytes: Span<UInt8>, at index: Int) -> UInt32? {
    let lead = bytes[index]
    let (length, smallest): (Int, UInt32)
    switch lead {
    case 0x00...0x7F: return UInt32(lead)
    case 0xC2...0xDF: (length, smallest) = (2, 0x80)
    case 0xE0...0xEF: (length, smallest) = (3, 0x800)
    case 0xF0...0xF4: (length, smallest) = (4, 0x10000)
    default: return nil
    }
    guard bytes.count - index >= length else { return nil }
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    for offset in 1..<length {
      let byte = bytes[index + offset]
      guard byte & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    guard value >= smallest, value <= 0x10FFFF, !(0xD800...0xDFFF).contains(value) else { return nil }
    return value
  }

  /// How many bytes it takes.
  package static func byteCount(_ scalar: UInt32) -> Int {
    switch scalar {
    case 0..<0x80: 1
    case 0x80..<0x800: 2
    case 0x800..<0x10000: 3
    default: 4
    }
  }

  /// One of its bytes.
  package static func byte(_ index: Int, of scalar: UInt32) -> UInt8 {
    let count = byteCount(scalar)
    if count == 1 { return UInt8(truncatingIfNeeded: scalar) }
    let bits = UInt8(truncatingIfNeeded: scalar >> UInt32(6 * (count - 1 - index)))
    if index > 0 { return 0x80 | bits & 0x3F }
    return [0xC0, 0xE0, 0xF0][count - 2] | bits & (0x7F >> UInt8(count))
  }
}
