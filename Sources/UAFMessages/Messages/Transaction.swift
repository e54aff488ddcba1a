/// One form of a transaction to be shown and confirmed (UAF protocol 1.1, section 3.5.1).
public struct Transaction: JSONRepresentable, Equatable, Sendable {
  /// What the content is.
  public enum ContentType: String, Sendable {
    case plainText = "text/plain"
    case png = "image/png"
  }

  /// What the content is.
  public let contentType: ContentType

  /// The content's bytes; these are what is hashed, not their base64url text.
  public let content: [UInt8]

  /// How to draw the image; required for PNG.
  public let tcDisplayPNGCharacteristics: DisplayPNGCharacteristics?

  /// Makes a text transaction.
  ///
  /// - Throws: ``MessageError/outOfRange(_:)`` unless the text is 1 to 200 bytes of ASCII and ``TransactionLetter``s.
  public init(text: String) throws(MessageError) {
    guard Self.isPlainText(Array(text.utf8)) else { throw .outOfRange("transaction.content") }
    contentType = .plainText
    content = Array(text.utf8)
    tcDisplayPNGCharacteristics = nil
  }

  /// Reads one form.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    guard let contentType = ContentType(rawValue: try reader.string("contentType")) else {
      throw .outOfRange(reader.name("contentType"))
    }
    self.contentType = contentType
    content = try reader.base64URL("content", counts: 1...Self.maximumCount)
    let characteristics = "tcDisplayPNGCharacteristics"
    tcDisplayPNGCharacteristics = try reader.optionalChild(characteristics, as: DisplayPNGCharacteristics.self)
    switch contentType {
    case .plainText:
      guard Self.isPlainText(content) else { throw .outOfRange(reader.name("content")) }
    case .png:
      guard tcDisplayPNGCharacteristics != nil else { throw .missing(reader.name(characteristics)) }
    }
  }

  /// The form as JSON.
  public var json: JSONValue {
    var object: JSONObject = [
      "contentType": .string(contentType.rawValue), "content": .string(Base64URL.encode(content)),
    ]
    object.set("tcDisplayPNGCharacteristics", tcDisplayPNGCharacteristics?.json)
    return .object(object)
  }

  /// No image needs more, and the whole message is capped at 256 KiB anyway.
  private static let maximumCount = 131_072

  private static func isPlainText(_ bytes: [UInt8]) -> Bool {
    guard (1...200).contains(bytes.count), let text = String(validating: bytes, as: UTF8.self) else { return false }
    return text.unicodeScalars.allSatisfy { $0.isASCII || TransactionLetter.contains($0) }
  }
}
