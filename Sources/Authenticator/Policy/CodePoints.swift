// Purpose: a passcode's characters without a Swift String, whose copies nobody could wipe.

import Glibc

/// The code points of a short secret, lent for one call and wiped after it.
enum CodePoints {
  /// The longest input, in bytes: 64 characters of four bytes.
  static let maximumByteCount = 256

  /// Calls `body` with the code points of `bytes`; nil if they are not well-formed UTF-8 or longer than ``maximumByteCount``.
  static func with<Result>(_ bytes: Span<UInt8>, _ body: (Span<UInt32>) -> Result) -> Result? {
    guard bytes.count <= maximumByteCount else { return nil }
    return unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: maximumByteCount) { buffer in
      // SAFETY: the buffer is ours until this closure returns, every element is initialised here, and none is used after the
      // wipe. A code point takes at least one byte, so there is room for all.
      unsafe buffer.initialize(repeating: 0)
      defer {
        if let base = buffer.baseAddress { unsafe explicit_bzero(base, buffer.count * MemoryLayout<UInt32>.stride) }
      }
      var count = 0
      var index = 0
      while index < bytes.count {
        guard let (value, length) = decode(bytes, at: index) else { return nil }
        unsafe buffer[count] = value
        count += 1
        index += length
      }
      // SAFETY: `count` elements are initialised and the span cannot outlive the call.
      return body(unsafe UnsafeBufferPointer(rebasing: buffer[..<count]).span)
    }
  }

  /// Whether the bytes are well-formed UTF-8 of at most ``maximumByteCount`` bytes.
  static func areWellFormed(_ bytes: Span<UInt8>) -> Bool {
    with(bytes) { _ in true } ?? false
  }

  /// The lower-case form of a letter, anything else unchanged.
  static func folded(_ value: UInt32) -> UInt32 {
    if value < 0x80 { return isASCIILetter(value) ? value | 0x20 : value }
    // One scalar fits a String's inline form: no heap, nothing of its neighbours.
    guard let scalar = Unicode.Scalar(value) else { return value }
    let mapping = scalar.properties.lowercaseMapping.unicodeScalars
    guard let first = mapping.first, mapping.count == 1 else { return value }
    return first.value
  }

  static func isASCIIDigit(_ value: UInt32) -> Bool { (0x30...0x39).contains(value) }

  static func isASCIILetter(_ value: UInt32) -> Bool { (0x61...0x7a).contains(value | 0x20) && value < 0x80 }

  /// One code point by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
  private static func decode(_ bytes: Span<UInt8>, at index: Int) -> (value: UInt32, length: Int)? {
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
}
