import CUnistring
import FidoResults
import Glibc
import SecretMemory

/// A person's text in Normalization Form C, in memory that is locked and wipes itself.
///
/// Two keyboards may send é as one code point or as two; in this form, both are the same secret.
struct NormalisedText: ~Copyable {
  /// The longest text, in bytes of its normalised form: 64 characters of four bytes.
  static let maximumByteCount = 256
  /// The longest entry that is checked, in bytes.
  static let maximumEntryByteCount = 1024

  /// The text as UTF-8.
  let utf8: Secret
  /// The text as code points of 32 bits.
  private let points: Secret

  /// Normalises a text of at most ``maximumEntryByteCount`` bytes.
  ///
  /// Nil if the text is empty or not UTF-8, has a code point that no secret may have, has more than
  /// ``maximumByteCount`` bytes once normalised, or there is no memory for it.
  init?(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty, bytes.count <= Self.maximumEntryByteCount,
      var points = try? Secret(capacity: Self.workingCapacity),
      var utf8 = try? Secret(capacity: Self.maximumByteCount)
    else { return nil }
    // SAFETY: a separate mapping is aligned for any type, and nothing else sees it during the call.
    unsafe points.refill { buffer in
      var elements = unsafe buffer.bindMemory(to: UInt32.self).mutableSpan
      return (Self.fill(&elements, from: bytes) ?? 0) * MemoryLayout<UInt32>.stride
    }
    // SAFETY: as above.
    unsafe utf8.refill { buffer in
      var output = unsafe buffer.bindMemory(to: UInt8.self).mutableSpan
      return Self.withElements(of: points) { Self.encode($0, into: &output) } ?? 0
    }
    guard utf8.count > 0 else { return nil }
    self.points = points
    self.utf8 = utf8
  }

  /// Whether the bytes are UTF-8 and contain no code point that no secret may have.
  static func hasUsableCharacters(_ bytes: Span<UInt8>) -> Bool {
    var index = 0
    while index < bytes.count {
      guard let (point, length) = CodePoints.decode(bytes, at: index), isAllowed(point) else { return false }
      index += length
    }
    return true
  }

  /// Lends the code points for the length of the call.
  borrowing func withPoints<Result>(_ body: (Span<UInt32>) -> Result) -> Result {
    Self.withElements(of: points, body)
  }

  /// A code point takes at least one byte of the entry, and no UTF-8 text grows to more than one and a half code points per byte.
  private static let workingCapacity =
    (Self.maximumEntryByteCount * 2 + NormalFormC.slack) * MemoryLayout<UInt32>.stride

  private static func withElements<Result>(of points: borrowing Secret, _ body: (Span<UInt32>) -> Result) -> Result {
    // SAFETY: the bytes in use are whole elements, written as such, and the span cannot outlive the call.
    unsafe points.withUnsafeBytes { buffer in
      body(unsafe buffer.assumingMemoryBound(to: UInt32.self).span)
    }
  }

  private static func fill(_ points: inout MutableSpan<UInt32>, from bytes: Span<UInt8>) -> Int? {
    var count = 0
    var index = 0
    while index < bytes.count {
      guard let (point, length) = CodePoints.decode(bytes, at: index), isAllowed(point),
        let next = NormalFormC.append(point, to: &points, count: count)
      else { return nil }
      count = next
      index += length
    }
    NormalFormC.order(&points, count: count)
    return NormalFormC.compose(&points, count: count)
  }

  /// No keyboard types control characters.
  ///
  /// Private use has no agreed meaning. The form of an unassigned code point may change with the next Unicode.
  private static func isAllowed(_ point: UInt32) -> Bool {
    let refused = UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Cs | UC_CATEGORY_MASK_Co | UC_CATEGORY_MASK_Cn
    return !uc_is_general_category_withtable(point, UInt32(refused))
  }

  /// The number of bytes that the code points take; nil if they do not fit.
  private static func encode(_ points: Span<UInt32>, into output: inout MutableSpan<UInt8>) -> Int? {
    var count = 0
    for index in points.indices {
      let length = CodePoints.encodedLength(points[index])
      guard output.count - count >= length else { return nil }
      for offset in 0..<length { output[count + offset] = CodePoints.encodedByte(offset, of: points[index], length) }
      count += length
    }
    return count
  }
}

// Unicode's Normalization Form C (Unicode Standard Annex 15) over a buffer of the caller. libunistring's
// function for whole strings leaves copies of them on the heap, so only its tables are used here, one code point at a
// time.

/// Normalization Form C, in place.
enum NormalFormC {
  /// The elements that ``append(_:to:count:)`` needs beyond those in use.
  static let slack = Int(UC_DECOMPOSITION_MAX_LENGTH)

  /// Adds a code point's full canonical decomposition after the `count` elements in use.
  ///
  /// - Returns: the number of elements then in use; nil if fewer than ``slack`` would have been free.
  static func append(_ point: UInt32, to points: inout MutableSpan<UInt32>, count: Int) -> Int? {
    guard points.count - count >= slack else { return nil }
    // SAFETY: libunistring writes at most UC_DECOMPOSITION_MAX_LENGTH elements, and that many are free after `count`.
    let parts = unsafe points.withUnsafeMutableBufferPointer { buffer in
      unsafe uc_canonical_decomposition(point, buffer.baseAddress.map { unsafe $0 + count })
    }
    switch parts {
    case 1:
      return append(points[count], to: &points, count: count)
    case 2:
      let second = points[count + 1]
      guard let next = append(points[count], to: &points, count: count) else { return nil }
      return append(second, to: &points, count: next)
    default:
      // Unicode promises that no canonical mapping is longer than two: this code point has none.
      points[count] = point
      return count + 1
    }
  }

  /// Sorts each run of combining marks by class, and keeps equal ones in their order (Unicode, D109).
  static func order(_ points: inout MutableSpan<UInt32>, count: Int) {
    for index in 0..<count {
      let own = combiningClass(points[index])
      var place = index
      while own != 0, place > 0, combiningClass(points[place - 1]) > own {
        points.swapAt(place, place - 1)
        place -= 1
      }
    }
  }

  /// Composes the code points that have a composition (Unicode, D117).
  ///
  /// - Returns: how many elements are left.
  static func compose(_ points: inout MutableSpan<UInt32>, count: Int) -> Int {
    var kept = 0
    var starter: Int?
    var lastClass: CInt = 0
    for index in 0..<count {
      let point = points[index]
      let own = combiningClass(point)
      // A combining mark combines with the starter if only marks of a lower class are between them; a second starter does so only
      // if nothing is between them.
      if let starter, kept - 1 == starter || lastClass < own {
        let composed = uc_composition(points[starter], point)
        if composed != 0 {
          points[starter] = composed
          continue
        }
      }
      points[kept] = point
      if own == 0 { starter = kept }
      lastClass = own
      kept += 1
    }
    return kept
  }

  private static func combiningClass(_ point: UInt32) -> CInt { uc_combining_class(point) }
}

// Handles a passcode's characters without a Swift String, because nobody could wipe the copies of a String.

/// Reads and writes UTF-8, and tells the properties of code points that the rules check.
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

  /// The number of UTF-8 bytes that a code point takes.
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
    // The first byte begins with as many one bits as the code point has bytes; each further byte begins with the bits 10.
    return offset == 0 ? bits | ~(0xff >> UInt8(length)) : bits & 0x3f | 0x80
  }
}

/// An entry of `[passcode.ignore]`: a secret that contains the text is refused.
public struct IgnoredText: Equatable, Sendable {
  /// In Normalization Form C, like the secrets.
  private let bytes: [UInt8]

  /// The message about it; nil for the built-in message.
  public let message: AdministratorText?

  /// Makes an entry.
  ///
  /// Nil for an empty text, which every secret contains, and for one that no secret can contain: longer than
  /// ``PasscodeFormat/maximumByteCount`` bytes, or with a code point that ``PasscodeFormat/normalised(_:)`` refuses.
  public init?(_ text: String, message: AdministratorText?) {
    let written = Array(text.utf8)
    guard let normalised = NormalisedText(written.span) else { return nil }
    bytes = normalised.utf8.withBytes { span in span.indices.map { span[$0] } }
    self.message = message
  }

  /// Whether the secret, which is also normalised, contains the text.
  func isContained(in value: Span<UInt8>) -> Bool {
    guard value.count >= bytes.count else { return false }
    return (0...(value.count - bytes.count)).contains { start in
      bytes.indices.allSatisfy { value[start + $0] == bytes[$0] }
    }
  }
}

// Memory for a C library that works on secrets; it is wiped before it returns to the heap.

/// An allocator whose blocks remember their size, so that freeing one can wipe it.
enum WipedMemory {
  /// Space for the size before a block; 16 keeps malloc's alignment.
  private static let headerSize = 16

  /// As malloc.
  static let allocate: @convention(c) (Int, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { size, _ in
    let (total, overflow) = size.addingReportingOverflow(headerSize)
    // SAFETY: the block is at least as long as the header that is written into it.
    guard size >= 0, !overflow, let block = unsafe malloc(total) else { return nil }
    unsafe block.storeBytes(of: total, as: Int.self)
    return unsafe block + headerSize
  }

  /// As free, after overwriting the block.
  static let free: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { pointer, _ in
    // SAFETY: the pointer came from `allocate`, so the header with the block's whole size lies before it.
    guard let block = unsafe pointer.map({ unsafe $0 - headerSize }) else { return }
    unsafe explicit_bzero(block, block.load(as: Int.self))
    unsafe Glibc.free(block)
  }
}
