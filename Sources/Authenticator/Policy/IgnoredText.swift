/// An entry of `[passcode.ignore]`: a value that contains the text is refused.
public struct IgnoredText: Equatable, Sendable {
  private let bytes: [UInt8]

  /// What is said about it; nil for the built-in message.
  public let message: String?

  /// Makes an entry; nil for an empty text, which every value contains.
  public init?(_ text: String, message: String?) {
    guard !text.isEmpty else { return nil }
    bytes = Array(text.utf8)
    self.message = message
  }

  /// Whether the value contains the text, byte for byte.
  func isContained(in value: Span<UInt8>) -> Bool {
    guard value.count >= bytes.count else { return false }
    return (0...(value.count - bytes.count)).contains { start in
      bytes.indices.allSatisfy { value[start + $0] == bytes[$0] }
    }
  }
}
