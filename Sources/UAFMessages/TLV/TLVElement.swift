/// One tag, length and value, not yet understood.
public struct TLVElement: Equatable, Sendable {
  /// The tag.
  public let tag: TLVTag

  /// The value's bytes.
  public let value: [UInt8]

  /// Where the tag began, counted from the outermost TLV.
  public let offset: Int

  /// Tag, length and value as they were sent: what a signature covers.
  public var encoded: [UInt8] {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(4 + value.count)
    for number in [tag.rawValue, UInt16(truncatingIfNeeded: value.count)] {
      encoded.append(UInt8(truncatingIfNeeded: number))
      encoded.append(UInt8(truncatingIfNeeded: number >> 8))
    }
    return encoded + value
  }

  /// Reads bytes that hold exactly one element.
  ///
  /// - Throws: ``TLVError`` if anything is missing or left over.
  public static func single(in bytes: [UInt8]) throws(TLVError) -> TLVElement {
    let elements = try all(in: bytes, offset: 0, maximumCount: 1)
    guard let element = elements.first else { throw TLVError(reason: .truncated, offset: 0) }
    return element
  }

  /// The elements of a composite value, in order.
  ///
  /// - Throws: ``TLVError`` if the tag is not composite or the bytes do not divide evenly.
  public func children() throws(TLVError) -> [TLVElement] {
    guard tag.isComposite else { throw TLVError(reason: .invalidValue(tag), offset: offset) }
    return try Self.all(in: value, offset: offset + 4, maximumCount: .max)
  }

  /// Splits `bytes` into elements: `UINT16 tag | UINT16 length | value`, little-endian, nothing between or after.
  private static func all(in bytes: [UInt8], offset: Int, maximumCount: Int) throws(TLVError) -> [TLVElement] {
    var elements: [TLVElement] = []
    var position = 0
    while position < bytes.count {
      guard elements.count < maximumCount else { throw TLVError(reason: .trailingBytes, offset: offset + position) }
      guard bytes.count - position >= 4 else { throw TLVError(reason: .truncated, offset: offset + position) }
      let tag = TLVTag(rawValue: UInt16(bytes[position]) | UInt16(bytes[position + 1]) << 8)
      guard tag.rawValue <= 0x3FFF else { throw TLVError(reason: .invalidTag, offset: offset + position) }
      let length = Int(bytes[position + 2]) | Int(bytes[position + 3]) << 8
      guard bytes.count - position - 4 >= length else { throw TLVError(reason: .truncated, offset: offset + position) }
      let end = position + 4 + length
      elements.append(TLVElement(tag: tag, value: Array(bytes[(position + 4)..<end]), offset: offset + position))
      position = end
    }
    return elements
  }
}
