/// Why TLV bytes were refused, and where.
public struct TLVError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Reason: Equatable, Sendable {
    case truncated
    case trailingBytes
    case tooLong
    case invalidTag
    case wrongTag
    case missingTag(TLVTag)
    case repeatedTag(TLVTag)
    case unknownCriticalTag(TLVTag)
    case wrongLength(TLVTag)
    case invalidValue(TLVTag)
  }

  /// What was wrong.
  public let reason: Reason

  /// Byte offset from the start of the outermost TLV.
  public let offset: Int

  /// Names the fault, the tag and the place; never the value.
  public var description: String {
    let fault =
      switch reason {
      case .truncated: "it ends too early"
      case .trailingBytes: "bytes are left over"
      case .tooLong: "it is longer than allowed"
      case .invalidTag: "a tag has more than 14 bits"
      case .wrongTag: "another element was expected here"
      case .missingTag(let tag): "element \(Self.hex(tag)) is missing"
      case .repeatedTag(let tag): "element \(Self.hex(tag)) occurs twice"
      case .unknownCriticalTag(let tag): "element \(Self.hex(tag)) is critical and not known here"
      case .wrongLength(let tag): "element \(Self.hex(tag)) has a wrong length"
      case .invalidValue(let tag): "element \(Self.hex(tag)) has a value that is not allowed"
      }
    return "the assertion is malformed at byte \(offset): \(fault)"
  }

  private static func hex(_ tag: TLVTag) -> String {
    "0x" + String(tag.rawValue, radix: 16, uppercase: true)
  }
}
