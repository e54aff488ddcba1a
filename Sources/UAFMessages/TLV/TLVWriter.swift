/// Writes TLVs, little-endian.
public struct TLVWriter: Sendable {
  /// What has been written.
  public private(set) var bytes: [UInt8] = []

  /// Makes an empty writer.
  public init() {}

  /// Appends one element.
  ///
  /// - Throws: ``TLVError`` if the value is longer than 65,535 bytes.
  public mutating func append(_ tag: TLVTag, _ value: [UInt8]) throws(TLVError) {
    guard let length = UInt16(exactly: value.count) else { throw TLVError(reason: .tooLong, offset: bytes.count) }
    bytes += Self.littleEndian(tag.rawValue)
    bytes += Self.littleEndian(length)
    bytes += value
  }

  /// Appends a composite whose content `body` writes.
  ///
  /// - Throws: ``TLVError`` if the content is longer than 65,535 bytes.
  public mutating func append(
    composite tag: TLVTag, _ body: (inout TLVWriter) throws(TLVError) -> Void
  ) throws(TLVError) {
    var inner = TLVWriter()
    try body(&inner)
    try append(tag, inner.bytes)
  }

  /// The bytes of a number, lowest first.
  public static func littleEndian(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
    stride(from: 0, to: number.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
