/// Identifies one key of one authenticator: 32 to 2048 bytes, base64url in JSON (UAF protocol 1.1, section 3.1.5).
public struct KeyID: JSONRepresentable, Hashable, Sendable {
  /// The bytes, as in TAG_KEYID.
  public let bytes: [UInt8]

  /// Makes a key identifier of 32 to 2048 bytes.
  ///
  /// - Throws: ``MessageError/outOfRange(_:)``.
  public init(bytes: [UInt8]) throws(MessageError) {
    guard Self.counts.contains(bytes.count) else { throw .outOfRange("keyID") }
    self.bytes = bytes
  }

  /// Reads the base64url text.
  public init(json: JSONValue, path: String) throws(MessageError) {
    bytes = try json.decodedBase64URL(path: path, counts: Self.counts)
  }

  /// The base64url text.
  public var text: String { Base64URL.encode(bytes) }

  /// The key identifier as JSON.
  public var json: JSONValue { .string(text) }

  static let counts = 32...2048
}
