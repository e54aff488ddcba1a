import UAFCrypto
import UAFMessages

/// What session data says of the text that has to be confirmed.
enum SealedText: Equatable, Sendable {
  /// No text was sent by the client.
  case none
  /// The whole text, in at most ``maximumWhole`` bytes.
  case whole(TransactionText)
  /// The SHA-256 of a longer text: the client sends the text again with its answer.
  case hash([UInt8])

  /// The most bytes of a text that stands in session data itself.
  ///
  /// UAF allows 1,536 characters of session data, 1,152 bytes; the other parts have up to 183.
  static let maximumWhole = 960

  /// Seals a text.
  ///
  /// - Throws: ``CryptoError`` if OpenSSL cannot hash.
  init(_ text: TransactionText?) throws(CryptoError) {
    guard let text else {
      self = .none
      return
    }
    let bytes = Array(text.shown.utf8)
    self = bytes.count <= Self.maximumWhole ? .whole(text) : .hash(try SHA256.hash(bytes))
  }

  /// The text that was sealed; nil for none.
  ///
  /// - Parameter sent: the text that the client sends with its answer.
  /// - Returns: a refusal if the client had to send the text, and sent none or another one.
  /// - Throws: ``CryptoError`` if OpenSSL cannot hash.
  func text(sentAgain sent: String?) throws(CryptoError) -> Result<TransactionText?, ServiceRefusal> {
    switch self {
    case .none: return .success(nil)
    case .whole(let text): return .success(text)
    case .hash(let hash):
      guard let text = sent.flatMap({ TransactionText(sent: $0) }), try SHA256.hash(Array(text.shown.utf8)) == hash
      else { return .failure(.wrongTransaction) }
      return .success(text)
    }
  }
}
