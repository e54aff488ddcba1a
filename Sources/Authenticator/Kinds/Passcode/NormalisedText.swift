import CUnistring
import SecretMemory

/// A person's text in Normalization Form C, in memory that is locked and wipes itself.
///
/// Two keyboards may send é as one code point or as two; the form makes them one secret.
struct NormalisedText: ~Copyable {
  /// The longest text, in bytes of its normalised form: 64 characters of four bytes.
  static let maximumByteCount = 256
  /// The longest entry that is checked, in bytes.
  static let maximumEntryByteCount = 1024

  /// The text as UTF-8.
  let utf8: Secret
  /// The same as code points of 32 bits.
  private let points: Secret

  /// Normalises a text of at most ``maximumEntryByteCount`` bytes.
  ///
  /// Nil if it is empty, not UTF-8, has a code point that no secret may have, has more than
  /// ``maximumByteCount`` bytes once normalised, or there is no memory for it.
  init?(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty, bytes.count <= Self.maximumEntryByteCount,
      var points = try? Secret(capacity: Self.workingCapacity),
      var utf8 = try? Secret(capacity: Self.maximumByteCount)
    else { return nil }
    // SAFETY: a mapping of its own is aligned for any type, and nothing else sees it during the call.
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

  /// Whether the bytes are UTF-8 without a code point that no secret may have.
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

  /// A code point takes at least one byte of the entry, and no UTF-8 grows to more than one and a half code points a byte.
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

  /// How many bytes the code points take; nil if they do not fit.
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
