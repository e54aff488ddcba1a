/// The keys and authorities by which a machine may know its server, signed for a machine that has checked in; our own
/// (docs/protocol.md, "Check-in").
///
/// It is sent as a JSON web token (RFC 7519, ES256), whose type keeps it apart from a verdict. It adds to what root of the
/// machine trusts. Something ends only if the statement names its end: what is merely missing stays trusted.
public struct TrustStatement: Equatable, Sendable {
  /// `typ` of the token's header.
  public static let tokenType = "machine-trust+jwt"
  /// The longest token in bytes.
  public static let maximumTokenBytes = 32_768
  /// How many verdict keys, how many authorities, and how many ends of each one statement names at most.
  public static let most = 4
  /// The length of a public key: `04 | X | Y` of P-256.
  public static let publicKeyByteCount = 65
  /// The longest certificate of an authority, in bytes of DER.
  public static let maximumAuthorityBytes = 4096

  /// For which machine and proof it is.
  public let claims: CheckInClaims
  /// The verdict key in use and those to come, ``publicKeyByteCount`` each.
  public var keys: [[UInt8]] = []
  /// The ids (``TrustName``) of verdict keys that are no longer accepted.
  public var endedKeys: [String] = []
  /// The certificates of authorities that may issue the server's certificate from now on, DER.
  public var authorities: [[UInt8]] = []
  /// The fingerprints (``TrustName``) of authorities that issue it no longer.
  public var endedAuthorities: [String] = []

  /// Makes a statement that names nothing yet.
  public init(_ claims: CheckInClaims) { self.claims = claims }

  /// The claims of the token.
  public var json: JSONValue {
    var object = claims.object
    object.set("keys", .array(keys.map { .string(Base64URL.encode($0)) }))
    object.set("endedKeys", JSONValue.strings(endedKeys))
    object.set("authorities", JSONValue.strings(authorities.map { Base64URL.encode($0) }))
    object.set("endedAuthorities", JSONValue.strings(endedAuthorities))
    return .object(object)
  }

  /// Reads the claims; members that are not in the form above are ignored.
  ///
  /// - Returns: nil if one is missing, or not of its form; if there are too many of something, or something is too long; and if
  ///   the same thing is named twice, or as present and as ended.
  public init?(claims: JSONObject) {
    guard let found = CheckInClaims(claims),
      claims["keys"] != nil, let keys = Self.bytes("keys", claims, maximum: Self.publicKeyByteCount),
      keys.allSatisfy({ $0.count == Self.publicKeyByteCount }),
      let authorities = Self.bytes("authorities", claims, maximum: Self.maximumAuthorityBytes),
      let endedKeys = Self.texts("endedKeys", claims), endedKeys.allSatisfy(TrustName.isKeyID),
      let endedAuthorities = Self.texts("endedAuthorities", claims),
      endedAuthorities.allSatisfy(TrustName.isFingerprint)
    else { return nil }
    self.init(found)
    (self.keys, self.authorities) = (keys, authorities)
    (self.endedKeys, self.endedAuthorities) = (endedKeys, endedAuthorities)
  }

  private static func texts(_ name: String, _ claims: JSONObject) -> [String]? {
    guard let value = claims[name] else { return [] }
    guard case .array(let values) = value, values.count <= most else { return nil }
    let texts = values.compactMap { value -> String? in if case .string(let text) = value { text } else { nil } }
    return texts.count == values.count && Set(texts).count == texts.count ? texts : nil
  }

  private static func bytes(_ name: String, _ claims: JSONObject, maximum: Int) -> [[UInt8]]? {
    guard let texts = texts(name, claims) else { return nil }
    let all = texts.compactMap { try? Base64URL.decode($0, maximumCount: maximum) }
    return all.count == texts.count && all.allSatisfy { !$0.isEmpty } ? all : nil
  }
}

/// The names by which machines and servers compare what they trust.
///
/// A verdict key's id is the first 8 bytes of the SHA-256 of its SubjectPublicKeyInfo, as the `kid` of tokens. An authority's
/// fingerprint is the SHA-256 of its certificate. Both are lower-case hexadecimal digits.
public enum TrustName {
  /// The length of a verdict key's id in characters.
  public static let keyIDLength = 16
  /// The length of an authority's fingerprint in characters.
  public static let fingerprintLength = 64

  /// Whether a text has the form of a verdict key's id.
  public static func isKeyID(_ text: String) -> Bool { isDigits(text, count: keyIDLength) }

  /// Whether a text has the form of an authority's fingerprint.
  public static func isFingerprint(_ text: String) -> Bool { isDigits(text, count: fingerprintLength) }

  private static func isDigits(_ text: String, count: Int) -> Bool {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
    return text.utf8.count == count && text.utf8.allSatisfy { digits.contains($0) || letters.contains($0) }
  }
}

/// Which keys and authorities of its server a machine knows, as it reports them; our own (docs/protocol.md, "Check-in").
///
/// The server does not verify it.
public struct KnownTrust: JSONRepresentable, Equatable, Sendable {
  /// How many keys, and how many authorities, one report names at most.
  public static let most = 16

  /// The ids of the verdict keys that the machine accepts.
  public let verdictKeys: [String]
  /// The fingerprints of the authorities that it accepts; empty if it learns none, because it accepts those of its system, or
  /// more than 64.
  public let authorities: [String]

  /// Takes the first ``most`` of each.
  public init(verdictKeys: [String], authorities: [String]) {
    self.verdictKeys = Array(verdictKeys.prefix(Self.most))
    self.authorities = Array(authorities.prefix(Self.most))
  }

  /// Reads the member.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    verdictKeys = try Self.names("verdictKeys", reader, TrustName.isKeyID)
    authorities = try Self.names("authorities", reader, TrustName.isFingerprint)
  }

  private static func names(
    _ member: String, _ reader: MemberReader, _ isName: (String) -> Bool
  ) throws(MessageError) -> [String] {
    let names = try reader.optionalList(member, mayBeEmpty: true) { (value, path) throws(MessageError) in
      guard case .string(let text) = value else { throw .wrongType(path) }
      guard isName(text) else { throw .outOfRange(path) }
      return text
    }
    guard let names, names.count > most else { return names ?? [] }
    throw .outOfRange(reader.name(member))
  }

  /// The member as JSON.
  public var json: JSONValue {
    var object: JSONObject = [:]
    object.set("verdictKeys", JSONValue.strings(verdictKeys))
    object.set("authorities", JSONValue.strings(authorities))
    return .object(object)
  }
}
