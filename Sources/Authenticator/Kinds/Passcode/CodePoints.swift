// Purpose: a passcode's characters without a Swift String, whose copies nobody could wipe.

/// UTF-8 and what the rules ask about its code points.
enum CodePoints {
  /// The lower-case form of a letter, anything else unchanged.
  static func folded(_ value: UInt32) -> UInt32 {
    if value < 0x80 { return isASCIILetter(value) ? value | 0x20 : value }
    // One scalar fits a String's inline form: nothing is copied to the heap.
    guard let scalar = Unicode.Scalar(value) else { return value }
    let mapping = scalar.properties.lowercaseMapping.unicodeScalars
    guard let first = mapping.first, mapping.count == 1 else { return value }
    return first.value
  }

  static func isASCIIDigit(_ value: UInt32) -> Bool { (0x30...0x39).contains(value) }

  static func isASCIILetter(_ value: UInt32) -> Bool { (0x61...0x7a).contains(value | 0x20) && value < 0x80 }

  /// One code point by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
  static func decode(_ bytes: Span<UInt8>, at index: Int) -> (value: UInt32, length: Int)? {
    let first = bytes[index]
    let (length, smallest, initial): (Int, UInt32, UInt32)
    switch first {
    case 0x00...0x7f: return (UInt32(first), 1)
    case 0xc2...0xdf: (length, smallest, initial) = (2, 0x80, UInt32(first & 0x1f))
    case 0xe0...0xef: (length, smallest, initial) = (3, 0x800, UInt32(first & 0x0f))
    case 0xf0...0xf4: (length, smallest, initial) = (4, 0x10000, UInt32(first & 0x07))
    default: return nil
    }
    guard bytes.count - index >= length else { return nil }
    var value = initial
    for offset in 1..<length {
      let byte = bytes[index + offset]
      guard byte & 0xc0 == 0x80 else { return nil }
      value = value << 6 | UInt32(byte & 0x3f)
    }
    guard value >= smallest, value <= 0x10ffff, !(0xd800...0xdfff).contains(value) else { return nil }
    return (value, length)
  }

  /// How many bytes of UTF-8 a code point takes.
  static func encodedLength(_ value: UInt32) -> Int {
    switch value {
    case ..<0x80: 1
    case ..<0x800: 2
    case ..<0x10000: 3
    default: 4
    }
  }

  /// The byte at `offset` of a code point that takes `length` bytes of UTF-8.
  static func encodedByte(_ offset: Int, of value: UInt32, _ length: Int) -> UInt8 {
    if length == 1 { return UInt8(truncatingIfNeeded: value) }
    let bits = UInt8(truncatingIfNeeded: value >> (6 * UInt32(length - 1 - offset)))
    // A first byte has as many ones in front as there are bytes; the others have one.
    return offset == 0 ? bits | ~(0xff >> UInt8(length)) : bits & 0x3f | 0x80
  }
}
