/// Why a base64url text was refused.
public enum Base64URLError: Error, Equatable, Sendable, CustomStringConvertible {
  case tooLong
  case invalidLength
  case invalidCharacter(offset: Int)
  case unusedBitsSet

  /// Says what was wrong without quoting the text.
  public var description: String {
    switch self {
    case .tooLong: "the base64url text is longer than its member allows"
    case .invalidLength: "the base64url text has an impossible length; it may have been cut off"
    case .invalidCharacter(let offset): "the base64url text has a character outside the alphabet at \(offset)"
    case .unusedBitsSet: "the base64url text is not in its one canonical form"
    }
  }
}
