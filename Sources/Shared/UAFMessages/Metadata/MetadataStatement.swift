/// The statement of an authenticator's maker about a model (metadata statement 1.1, with the registry's numbers).
///
/// Members that a server does not need (`icon`, `ecdaaTrustAnchors`, `supportedExtensions`) are not kept. Statements of
/// MDS 3, which have names instead of numbers, are read as well, and written with numbers.
public struct MetadataStatement: JSONRepresentable, Equatable, Sendable {
  /// The model.
  public var aaid: AAID
  /// For people, at most 200 characters.
  public var description: String
  /// The lowest version of the authenticator to which the statement applies.
  public var authenticatorVersion: UInt16
  /// The protocol versions it supports.
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
  /// - Throws: ``MessageError``, including when there are roots but full attestation is not among the types, or the reverse.
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

  /// Reads the members that both forms of a statement share, after the other members.
  mutating func readDisplayAndRoots(_ reader: MemberReader) throws(MessageError) {
    tcDisplayContentType = try reader.optionalString("tcDisplayContentType")
    let characteristics = "tcDisplayPNGCharacteristics"
    tcDisplayPNGCharacteristics = try reader.optionalList(characteristics, of: DisplayPNGCharacteristics.self) ?? []
    let drawsPictures = tcDisplay != 0 && tcDisplayContentType == Transaction.ContentType.png.rawValue
    guard !drawsPictures || !tcDisplayPNGCharacteristics.isEmpty else { throw .missing(reader.name(characteristics)) }
    attestationRootCertificates = try reader.list("attestationRootCertificates", mayBeEmpty: true) {
      (value, path) throws(MessageError) in try Self.certificate(value, path: path)
    }
    let isFull = attestationTypes.contains(TLVTag.attestationBasicFull.rawValue)
    guard isFull != attestationRootCertificates.isEmpty else {
      throw .outOfRange(reader.name("attestationRootCertificates"))
    }
  }

  /// The bytes of a certificate in base64.
  static func certificate(_ value: JSONValue, path: String) throws(MessageError) -> [UInt8] {
    let text = try value.nonEmptyString(path: path)
    do throws(Base64URLError) {
      return try Base64.decode(text, maximumCount: maximumCertificate)
    } catch { throw MessageError.notBase64URL(path, error) }
  }

  /// Bytes of the largest certificate that is read.
  private static let maximumCertificate = 16_384
}

extension MemberReader {
  /// Flags of which a statement must name at least one.
  fileprivate func flags(_ member: String) throws(MessageError) -> UInt16 {
    let flags = try integer(member, as: UInt16.self)
    guard flags != 0 else { throw .outOfRange(name(member)) }
    return flags
  }
}

extension MetadataStatement {
  /// The version of the form with names, in the member `schema`.
  static let schemaOfNames = 3

  /// Reads a statement of MDS 3: lists of names instead of numbers, and only statements of the family `uaf`.
  ///
  /// A UAF authenticator signs in one way and encodes its keys in one way, so each of these lists has one name.
  /// Members that the form lacks have fixed values: the scheme `UAFV1TLV`, and no second factor.
  init(named reader: MemberReader) throws(MessageError) {
    guard try reader.integer("schema", as: Int.self) == Self.schemaOfNames else {
      throw .outOfRange(reader.name("schema"))
    }
    guard try reader.string("protocolFamily").isIdentical(to: "uaf") else {
      throw .outOfRange(reader.name("protocolFamily"))
    }
    let details = try reader.list("userVerificationDetails") { (set, path) throws(MessageError) in
      try set.list(path: path, mayBeEmpty: false) { (method, path) throws(MessageError) in
        try VerificationMethodDescriptor(named: method, path: path)
      }
    }
    self.init(
      aaid: try reader.child("aaid", as: AAID.self), description: try reader.string("description", characters: 1...200),
      userVerificationDetails: details)
    authenticatorVersion = try reader.integer("authenticatorVersion", as: UInt16.self)
    upv = try reader.list("upv", of: UPV.self)
    authenticationAlgorithm = try reader.only("authenticationAlgorithms", of: RegistryShortNames.signatureAlgorithms)
    publicKeyAlgAndEncoding = try reader.only("publicKeyAlgAndEncodings", of: RegistryShortNames.publicKeyAlgorithms)
    attestationTypes = try reader.numbers("attestationTypes", of: RegistryShortNames.attestationTypes)
    keyProtection = try reader.flags("keyProtection", of: RegistryShortNames.keyProtection)
    isKeyRestricted = try reader.optionalBool("isKeyRestricted") ?? true
    isFreshUserVerificationRequired = try reader.optionalBool("isFreshUserVerificationRequired") ?? true
    matcherProtection = try reader.flags("matcherProtection", of: RegistryShortNames.matcherProtection)
    attachmentHint =
      reader.has("attachmentHint") ? try reader.flags("attachmentHint", of: RegistryShortNames.attachmentHint) : 0
    isSecondFactorOnly = false
    tcDisplay = try reader.flags("tcDisplay", of: RegistryShortNames.tcDisplay, mayBeEmpty: true)
    try readDisplayAndRoots(reader)
  }
}

extension VerificationMethodDescriptor {
  /// Reads one method of a statement of MDS 3.
  fileprivate init(named json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    let name = try reader.string("userVerificationMethod")
    guard let flag = RegistryShortNames.userVerification[name] else {
      throw .outOfRange(reader.name("userVerificationMethod"))
    }
    self.init(
      userVerification: flag, caDesc: try reader.optionalChild("caDesc", as: CodeAccuracyDescriptor.self),
      paDesc: try reader.optionalChild("paDesc", as: PatternAccuracyDescriptor.self))
  }
}

extension MemberReader {
  /// The numbers of a list of names; a name that is not among them, or occurs twice, is refused.
  fileprivate func numbers<Number: FixedWidthInteger>(
    _ member: String, of names: [String: Number], mayBeEmpty: Bool = false
  ) throws(MessageError) -> [Number] {
    let numbers = try list(member, mayBeEmpty: mayBeEmpty) { (value, path) throws(MessageError) in
      guard let number = names[try value.nonEmptyString(path: path)] else { throw MessageError.outOfRange(path) }
      return number
    }
    guard Set(numbers).count == numbers.count else { throw .outOfRange(name(member)) }
    return numbers
  }

  /// The number of a list's only name.
  fileprivate func only<Number: FixedWidthInteger>(
    _ member: String, of names: [String: Number]
  ) throws(MessageError) -> Number {
    let numbers = try numbers(member, of: names)
    guard let only = numbers.first, numbers.count == 1 else { throw .outOfRange(name(member)) }
    return only
  }

  /// The combined flags of a list of names.
  fileprivate func flags<Number: FixedWidthInteger>(
    _ member: String, of names: [String: Number], mayBeEmpty: Bool = false
  ) throws(MessageError) -> Number {
    try numbers(member, of: names, mayBeEmpty: mayBeEmpty).reduce(0) { $0 | $1 }
  }
}

extension MetadataStatement {
  /// The statement as JSON.
  public var json: JSONValue {
    var object: JSONObject = [
      "aaid": aaid.json, "description": .string(description),
      "authenticatorVersion": .integer(Int64(authenticatorVersion)), "upv": .array(upv.map(\.json)),
      "assertionScheme": .string(assertionScheme), "authenticationAlgorithm": .integer(Int64(authenticationAlgorithm)),
      "publicKeyAlgAndEncoding": .integer(Int64(publicKeyAlgAndEncoding)),
      "attestationTypes": .array(attestationTypes.map { .integer(Int64($0)) }),
      "userVerificationDetails": .array(userVerificationDetails.map { .array($0.map(\.json)) }),
      "keyProtection": .integer(Int64(keyProtection)), "isKeyRestricted": .bool(isKeyRestricted),
      "isFreshUserVerificationRequired": .bool(isFreshUserVerificationRequired),
      "matcherProtection": .integer(Int64(matcherProtection)), "attachmentHint": .integer(Int64(attachmentHint)),
      "isSecondFactorOnly": .bool(isSecondFactorOnly), "tcDisplay": .integer(Int64(tcDisplay)),
    ]
    object.set("tcDisplayContentType", tcDisplayContentType.map { .string($0) })
    object.set("tcDisplayPNGCharacteristics", JSONValue.list(tcDisplayPNGCharacteristics))
    let roots = attestationRootCertificates.map { JSONValue.string(Base64.encode($0)) }
    object.set("attestationRootCertificates", .array(roots))
    return .object(object)
  }

  /// What a policy is matched against.
  public var authenticator: AuthenticatorDescription {
    AuthenticatorDescription(
      aaid: aaid, authenticatorVersion: authenticatorVersion, userVerification: userVerification,
      keyProtection: keyProtection, matcherProtection: matcherProtection, attachmentHint: attachmentHint,
      tcDisplay: tcDisplay, authenticationAlgorithm: authenticationAlgorithm, assertionScheme: assertionScheme,
      attestationTypes: attestationTypes)
  }

  /// The USER_VERIFY flags of the statement's alternatives, in the form of policies.
  ///
  /// Alternatives of one method each are a choice of flags, a single alternative is all of its flags together. A number cannot
  /// express other alternatives. For such a model this is 0, which only a criterion of 0 matches, so a policy has to name the
  /// model by its AAID.
  public var userVerification: UInt32 {
    if let only = userVerificationDetails.first, userVerificationDetails.count == 1, only.count > 1 {
      return only.reduce(UserVerification.all) { $0 | $1.userVerification }
    }
    guard userVerificationDetails.allSatisfy({ $0.count == 1 }) else { return 0 }
    return userVerificationDetails.joined().reduce(0) { $0 | $1.userVerification }
  }
}
