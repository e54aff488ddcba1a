/// A server's challenge: 8 to 64 bytes, base64url in JSON (`ServerChallenge` of UAF protocol 1.1).
public struct ServerChallenge: JSONRepresentable, Hashable, Sendable {
  /// The bytes.
  public let bytes: [UInt8]

  /// Makes a challenge of 8 to 64 random bytes.
  ///
  /// - Throws: ``MessageError/outOfRange(_:)``.
  public init(bytes: [UInt8]) throws(MessageError) {
    guard (8...64).contains(bytes.count) else { throw .outOfRange("challenge") }
    self.bytes = bytes
  }

  /// Reads the base64url text.
  public init(json: JSONValue, path: String) throws(MessageError) {
    bytes = try json.decodedBase64URL(path: path, counts: 8...64)
  }

  /// The base64url text; reading is canonical, so it is the text that was sent.
  public var text: String { Base64URL.encode(bytes) }

  /// The challenge as JSON.
  public var json: JSONValue { .string(text) }
}
