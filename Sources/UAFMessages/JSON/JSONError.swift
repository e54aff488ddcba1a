/// Why a JSON text was refused, and where.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was wrong.
  ///
  /// Code decides by this, never by text.
  public enum Reason: Equatable, Sendable {
    case tooLong
    case tooDeep
    case unexpectedEnd
    case unexpectedByte
    case byteOrderMark
    case invalidUTF8
    case invalidEscape
    case unpairedSurrogate
    case controlCharacter
    case invalidNumber
    case duplicateMember
    case trailingBytes
  }

  /// What was wrong.
  public let reason: Reason

  /// Byte offset from the start of the text.
  public let offset: Int

  /// Names the fault and its place; never quotes the text.
  public var description: String {
    "the JSON text is not acceptable (\(reason)) at byte \(offset); the sender has to correct it"
  }
}
