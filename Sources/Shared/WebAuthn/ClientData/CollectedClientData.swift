import UAFCrypto
import UAFMessages

/// What a client says about a ceremony (WebAuthn Level 3, section 5.8.1), as the JSON text whose hash is signed.
public struct CollectedClientData: Equatable, Sendable {
  /// The ceremony.
  public enum CeremonyType: String, Equatable, Sendable, CaseIterable {
    /// A registration.
    case create = "webauthn.create"
    /// An authentication.
    case get = "webauthn.get"
  }

  /// The ceremony that it is for.
  public let type: CeremonyType

  /// The relying party's challenge.
  public let challenge: [UInt8]

  /// The origin that began the ceremony, as the client saw it; opaque here.
  public let origin: String

  /// Whether the page that began the ceremony was in a frame of another origin; nil if the client does not say.
  public let crossOrigin: Bool?

  /// The origin of the outermost page, if it differs from ``origin``.
  public let topOrigin: String?

  /// The JSON text in UTF-8, as it was made or sent.
  public let encoded: [UInt8]

  /// Longest text in bytes that is read.
  public static let maximumByteCount = 8192

  /// Makes the client data of a ceremony in the one form of WebAuthn Level 3, section 5.8.1.1.
  public init(
    _ type: CeremonyType, challenge: [UInt8], origin: String, crossOrigin: Bool = false, topOrigin: String? = nil
  ) {
    self.type = type
    self.challenge = challenge
    self.origin = origin
    self.crossOrigin = crossOrigin
    self.topOrigin = topOrigin
    encoded = Self.serialised(type, challenge, origin, crossOrigin, topOrigin) + [UInt8(ascii: "}")]
  }

  /// Reads client data; members that are not known are ignored.
  ///
  /// - Throws: ``WebAuthnError`` whose path begins with `clientDataJSON`.
  public init(parsing bytes: [UInt8]) throws(WebAuthnError) {
    try self.init(parsing: bytes, path: "clientDataJSON")
  }

  init(parsing bytes: [UInt8], path: String) throws(WebAuthnError) {
    let limits = JSONLimits(maximumBytes: Self.maximumByteCount, maximumDepth: 8)
    let members = try Members(JSONValue(webAuthn: bytes, limits: limits, path: path), path: path, base64: .url)
    guard let type = CeremonyType(rawValue: try members.text("type", bytes: 1...64)) else {
      throw .outOfRange(members.name("type"))
    }
    self.type = type
    challenge = try members.bytes("challenge", counts: 1...1024)
    origin = try members.text("origin", bytes: 1...2048)
    crossOrigin = try members.optionalBool("crossOrigin")
    topOrigin = try members.optionalText("topOrigin", bytes: 1...2048)
    encoded = bytes
  }

  /// The hash that is signed after the authenticator data.
  ///
  /// - Throws: ``CryptoError``.
  public func hash() throws(CryptoError) -> [UInt8] {
    try SHA256.hash(encoded)
  }

  /// Whether the text begins in the form that every client of Level 2 and later writes, so that a verifier without a JSON
  /// reader would understand the same (WebAuthn Level 3, section 5.8.1.2).
  public var passesLimitedVerification: Bool {
    let expected = Self.serialised(type, challenge, origin, crossOrigin ?? false, topOrigin)
    guard encoded.starts(with: expected), expected.count < encoded.count else { return false }
    let next = encoded[expected.count]
    return next == UInt8(ascii: ",") || next == UInt8(ascii: "}") && expected.count + 1 == encoded.count
  }

  /// The text up to its closing brace.
  private static func serialised(
    _ type: CeremonyType, _ challenge: [UInt8], _ origin: String, _ crossOrigin: Bool, _ topOrigin: String?
  ) -> [UInt8] {
    var text = #"{"type":"# + ccdString(type.rawValue)
    text += #","challenge":"# + ccdString(Base64URL.encode(challenge))
    text += #","origin":"# + ccdString(origin)
    text += #","crossOrigin":"# + (crossOrigin ? "true" : "false")
    if let topOrigin { text += #","topOrigin":"# + ccdString(topOrigin) }
    return Array(text.utf8)
  }

  /// `CCDToString` of WebAuthn Level 3, section 5.8.1.1: quotes, and escapes only what it must.
  static func ccdString(_ text: String) -> String {
    var encoded = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": encoded += "\\\""
      case "\\": encoded += "\\\\"
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        encoded += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: encoded.unicodeScalars.append(scalar)
      }
    }
    return encoded + "\""
  }
}
