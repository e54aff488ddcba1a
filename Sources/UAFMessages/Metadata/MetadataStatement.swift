/// What the maker of an authenticator says of a model (metadata statement 1.1, with the registry's numbers).
///
/// Members that a server does not need (`icon`, `ecdaaTrustAnchors`, `supportedExtensions`) are not kept. Statements of
/// MDS 3, which have names in the place of numbers, are read as well, and written with numbers.
public struct MetadataStatement: JSONRepresentable, Equatable, Sendable {
  /// The model.
  public var aaid: AAID
  /// For people, at most 200 characters.
  public var description: String
  /// The lowest version of the authenticator to which the statement applies.
  public var authenticatorVersion: UInt16
  /// The protocol versions it speaks.
  public var upv: [UPV]
  /// Its assertion scheme.
  public var assertionScheme: String
  /// Its signature algorithm (ALG_SIGN).
  public var authenticationAlgorithm: UInt16
  /// The encoding of its public keys (ALG_KEY).
  public var publicKeyAlgAndEncoding: UInt16
  /// Its attestation types.
  public var attestationTypes: [UInt16]
  /// Alternatives, each of methods that are used together.
  public var userVerificationDetails: [[VerificationMethodDescriptor]]
  /// KEY_PROTECTION flags, at least one.
  public var keyProtection: UInt16
  /// Whether its keys sign nothing but assertions.
  public var isKeyRestricted: Bool
  /// Whether the person is verified for each signature.
  public var isFreshUserVerificationRequired: Bool
  /// MATCHER_PROTECTION flags, at least one.
  public var matcherProtection: UInt16
  /// ATTACHMENT_HINT flags.
  public var attachmentHint: UInt32
  /// Whether it can only be a second factor.
  public var isSecondFactorOnly: Bool
  /// TRANSACTION_CONFIRMATION_DISPLAY flags.
  public var tcDisplay: UInt16
  /// What it can display; nil if it displays nothing.
  public var tcDisplayContentType: String?
  /// How it draws pictures; none if it draws none.
  public var tcDisplayPNGCharacteristics: [DisplayPNGCharacteristics]
  /// Roots for full attestation, DER; empty for a model that attests by surrogate.
  public var attestationRootCertificates: [[UInt8]]

  /// Makes the statement of a software authenticator with surrogate attestation that displays text.
  public init(aaid: AAID, description: String, userVerificationDetails: [[VerificationMethodDescriptor]]) {
    self.aaid = aaid
    self.description = description
    self.userVerificationDetails = userVerificationDetails
    authenticatorVersion = 1
    upv = UPV.supported
    assertionScheme = AssertionScheme.uafV1TLV
    authenticationAlgorithm = SignatureAlgorithm.secp256r1ECDSASHA256Raw
    publicKeyAlgAndEncoding = PublicKeyAlgorithm.eccX962Raw
    attestationTypes = [TLVTag.attestationBasicSurrogate.rawValue]
    keyProtection = 1
    isKeyRestricted = true
    isFreshUserVerificationRequired = true
    matcherProtection = 1
    attachmentHint = 1
    isSecondFactorOnly = false
    tcDisplay = 3
    tcDisplayContentType = Transaction.ContentType.plainText.rawValue
    tcDisplayPNGCharacteristics = []
    attestationRootCertificates = []
  }

  /// Reads a statement.
  ///
  /// - Throws: ``MessageError``; also if there are roots without full attestation among the types, or the reverse.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    if reader.has("schema") { try self.init(named: reader) } else { try self.init(numbered: reader) }
  }

  private init(numbered reader: MemberReader) throws(MessageError) {
    aaid = try reader.child("aaid", as: AAID.self)
    description = try reader.string("description", characters: 1...200)
    authenticatorVersion = try reader.integer("authenticatorVersion", as: UInt16.self)
    upv = try reader.list("upv", of: UPV.self)
    assertionScheme = try reader.string("assertionScheme", characters: 1...32)
    authenticationAlgorithm = try reader.integer("authenticationAlgorithm", as: UInt16.self)
    publicKeyAlgAndEncoding = try reader.integer("publicKeyAlgAndEncoding", as: UInt16.self)
    attestationTypes = try reader.list("attestationTypes") { (value, path) throws(MessageError) in
      try value.integer(path: path)
    }
    userVerificationDetails = try reader.list("userVerificationDetails") { (set, path) throws(MessageError) in
      try set.list(path: path, mayBeEmpty: false) { (method, path) throws(MessageError) in
        try VerificationMethodDescriptor(json: method, path: path)
      }
    }
    keyProtection = try reader.flags("keyProtection")
    isKeyRestricted = try reader.optionalBool("isKeyRestricted") ?? true
    isFreshUserVerificationRequired = try reader.optionalBool("isFreshUserVerificationRequired") ?? true
    matcherProtection = try reader.flags("matcherProtection")
    attachmentHint = try reader.integer("attachmentHint", as: UInt32.self)
    isSecondFactorOnly = try reader.bool("isSecondFactorOnly")
    tcDisplay = try reader.integer("tcDisplay", as: UInt16.self)
    (tcDisplayContentType, tcDisplayPNGCharacteristics, attestationRootCertificates) = (nil, [], [])
    try readDisplayAndRoots(reader)
  }

  /// Reads the members that both forms of a statement share, after the others.
  mutating func readDisplayAndRoots(_ reader: MemberReader) throws(MessageError) {
    tcDisplayContentType = try reader.optionalString("tcDisplayContentType")
    let characteristics = "tcDisplayPNGCharacteristics"
    tcDisplayPNGCharacteristics = try reader.optionalList(characteristics, of: DisplayPNGCharacteristics.self) ?? []
    let drawsPictures = tcDisplay != 0 && tcDisplayContentType == Transaction.ContentType.png.rawValue
    guard !drawsPictures || !tcDisplayPNGCharacteristics.isEmpty else { throw .missing(reader.name(characteristics)) }
    attestationRootCertificates = try reader.list("attestationRootCertificates", mayBeEmpty: true) {
      (value, path) throws(MessageError) in
      let text = try value.nonEmptyString(path: path)
      do throws(Base64URLError) {
        return try Base64.decode(text, maximumCount: Self.maximumCertificate)
      } catch { throw MessageError.notBase64URL(path, error) }
    }
    let isFull = attestationTypes.contains(TLVTag.attestationBasicFull.rawValue)
    guard isFull != attestationRootCertificates.isEmpty else {
      throw .outOfRange(reader.name("attestationRootCertificates"))
    }
  }

  /// Bytes of the largest certificate that is read.
  private static let maximumCertificate = 16_384
}

extension MemberReader {
  /// Flags of which a statement has to name at least one.
  fileprivate func flags(_ member: String) throws(MessageError) -> UInt16 {
    let flags = try integer(member, as: UInt16.self)
    guard flags != 0 else { throw .outOfRange(name(member)) }
    return flags
  }
}
