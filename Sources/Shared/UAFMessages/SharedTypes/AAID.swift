/// An authenticator model: four hex digits of vendor, `#`, four of model (UAF protocol 1.1, section 3.1.4).
///
/// Compared without regard to the case of the hex digits, kept as sent.
public struct AAID: JSONRepresentable, Hashable, Sendable {
  /// The nine ASCII characters as sent.
  public let text: String

  /// Makes an AAID from its text.
  ///
  /// - Throws: ``MessageError/outOfRange(_:)`` unless the text is `HHHH#HHHH`.
  public init(_ text: String) throws(MessageError) {
    try self.init(json: .string(text), path: "aaid")
  }

  /// Reads the text.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let text = try json.nonEmptyString(path: path)
    guard Self.isAAID(Array(text.utf8)) else { throw .outOfRange(path) }
    self.text = text
  }

  init?(ascii bytes: [UInt8]) {
    guard Self.isAAID(bytes) else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// The AAID as JSON.
  public var json: JSONValue { .string(text) }

  /// The vendor: the first four characters.
  public var vendorID: String { String(text.prefix(4)) }

  /// Compares without regard to case.
  public static func == (left: AAID, right: AAID) -> Bool {
    // Usually they are the same bytes, and comparing nine ASCII characters is quick.
    left.text == right.text || left.folded.elementsEqual(right.folded)
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    for byte in folded { hasher.combine(byte) }
  }

  /// The characters with hex digits in lower case; in all other characters, the same bit is set too.
  private var folded: some Sequence<UInt8> { text.utf8.lazy.map { $0 == UInt8(ascii: "#") ? $0 : $0 | 0x20 } }

  private static func isAAID(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == 9, bytes[4] == UInt8(ascii: "#") else { return false }
    return bytes[..<4].allSatisfy(\.isHexDigit) && bytes[5...].allSatisfy(\.isHexDigit)
  }
}

extension UInt8 {
  var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
      UInt8(ascii: "a")...UInt8(ascii: "f"):
      true
    default: false
    }
  }
}

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
