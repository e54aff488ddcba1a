import FidoResults
import SecretMemory

/// An entry of `[passcode.ignore]`: a secret that contains the text is refused.
public struct IgnoredText: Equatable, Sendable {
  /// In Normalization Form C, like the secrets.
  private let bytes: [UInt8]

  /// What is said about it; nil for the built-in message.
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

  /// Whether the secret, which is normalised too, contains the text.
  func isContained(in value: Span<UInt8>) -> Bool {
    guard value.count >= bytes.count else { return false }
    return (0...(value.count - bytes.count)).contains { start in
      bytes.indices.allSatisfy { value[start + $0] == bytes[$0] }
    }
  }
}
