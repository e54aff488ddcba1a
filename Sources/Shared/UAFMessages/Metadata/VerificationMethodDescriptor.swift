/// One way in which an authenticator verifies the person (metadata statement 1.1).
///
/// The descriptor of biometric accuracy (`baDesc`) is not kept: no rule here uses it.
public struct VerificationMethodDescriptor: JSONRepresentable, Equatable, Sendable {
  /// One USER_VERIFY flag, never USER_VERIFY_ALL.
  public let userVerification: UInt32
  /// For a passcode.
  public let caDesc: CodeAccuracyDescriptor?
  /// For a pattern.
  public let paDesc: PatternAccuracyDescriptor?

  /// Makes a descriptor.
  public init(
    userVerification: UInt32, caDesc: CodeAccuracyDescriptor? = nil, paDesc: PatternAccuracyDescriptor? = nil
  ) {
    self.userVerification = userVerification
    self.caDesc = caDesc
    self.paDesc = paDesc
  }

  /// Reads one method.
  ///
  /// - Throws: ``MessageError/outOfRange(_:)`` unless there is exactly one flag.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    userVerification = try reader.integer("userVerification", as: UInt32.self)
    caDesc = try reader.optionalChild("caDesc", as: CodeAccuracyDescriptor.self)
    paDesc = try reader.optionalChild("paDesc", as: PatternAccuracyDescriptor.self)
    guard userVerification.nonzeroBitCount == 1, userVerification != UserVerification.all else {
      throw .outOfRange(reader.name("userVerification"))
    }
  }

  /// The method as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["userVerification": .integer(Int64(userVerification))]
    object.set("caDesc", caDesc?.json)
    object.set("paDesc", paDesc?.json)
    return .object(object)
  }
}

/// How well a passcode withstands guessing (metadata statement 1.1, CodeAccuracyDescriptor).
public struct CodeAccuracyDescriptor: JSONRepresentable, Equatable, Sendable {
  /// The number of characters to choose from; 10 for digits.
  public let base: UInt16
  /// Fewest characters.
  public let minLength: UInt16
  /// Wrong entries until the authenticator blocks permanently; 0 or absent if it never does.
  public let maxRetries: UInt16?
  /// Seconds the authenticator waits after wrong entries.
  public let blockSlowdown: UInt16?

  /// Makes a descriptor.
  public init(base: UInt16, minLength: UInt16, maxRetries: UInt16?, blockSlowdown: UInt16?) {
    self.base = base
    self.minLength = minLength
    self.maxRetries = maxRetries
    self.blockSlowdown = blockSlowdown
  }

  /// Reads `{"base", "minLength", "maxRetries", "blockSlowdown"}`.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    base = try reader.integer("base", as: UInt16.self)
    minLength = try reader.integer("minLength", as: UInt16.self)
    maxRetries = try reader.optionalInteger("maxRetries", as: UInt16.self)
    blockSlowdown = try reader.optionalInteger("blockSlowdown", as: UInt16.self)
  }

  /// The descriptor as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["base": .integer(Int64(base)), "minLength": .integer(Int64(minLength))]
    object.set("maxRetries", maxRetries.map { .integer(Int64($0)) })
    object.set("blockSlowdown", blockSlowdown.map { .integer(Int64($0)) })
    return .object(object)
  }
}

/// How well a pattern withstands guessing (metadata statement 1.1, PatternAccuracyDescriptor).
public struct PatternAccuracyDescriptor: JSONRepresentable, Equatable, Sendable {
  /// The number of patterns of the smallest allowed size.
  public let minComplexity: UInt32
  /// Wrong entries until the authenticator blocks permanently; 0 or absent if it never does.
  public let maxRetries: UInt16?
  /// Seconds the authenticator waits after wrong entries.
  public let blockSlowdown: UInt16?

  /// Makes a descriptor.
  public init(minComplexity: UInt32, maxRetries: UInt16?, blockSlowdown: UInt16?) {
    self.minComplexity = minComplexity
    self.maxRetries = maxRetries
    self.blockSlowdown = blockSlowdown
  }

  /// Reads `{"minComplexity", "maxRetries", "blockSlowdown"}`.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    minComplexity = try reader.integer("minComplexity", as: UInt32.self)
    maxRetries = try reader.optionalInteger("maxRetries", as: UInt16.self)
    blockSlowdown = try reader.optionalInteger("blockSlowdown", as: UInt16.self)
  }

  /// The descriptor as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["minComplexity": .integer(Int64(minComplexity))]
    object.set("maxRetries", maxRetries.map { .integer(Int64($0)) })
    object.set("blockSlowdown", blockSlowdown.map { .integer(Int64($0)) })
    return .object(object)
  }
}

/// The names that statements of MDS 3 have instead of the registry's numbers (FIDO registry 2.2): the constant's
/// name in small letters, without the prefix of its kind.
enum RegistryShortNames {
  /// ALG_SIGN.
  static let signatureAlgorithms: [String: UInt16] = [
    "secp256r1_ecdsa_sha256_raw": 0x0001, "secp256r1_ecdsa_sha256_der": 0x0002, "rsassa_pss_sha256_raw": 0x0003,
    "rsassa_pss_sha256_der": 0x0004, "secp256k1_ecdsa_sha256_raw": 0x0005, "secp256k1_ecdsa_sha256_der": 0x0006,
    "sm2_sm3_raw": 0x0007, "rsa_emsa_pkcs1_sha256_raw": 0x0008, "rsa_emsa_pkcs1_sha256_der": 0x0009,
  ]

  /// ALG_KEY.
  static let publicKeyAlgorithms: [String: UInt16] = [
    "ecc_x962_raw": 0x0100, "ecc_x962_der": 0x0101, "rsa_2048_raw": 0x0102, "rsa_2048_der": 0x0103, "cose": 0x0104,
  ]

  /// ATTESTATION.
  static let attestationTypes: [String: UInt16] = [
    "basic_full": TLVTag.attestationBasicFull.rawValue, "basic_surrogate": TLVTag.attestationBasicSurrogate.rawValue,
    "ecdaa": TLVTag.attestationECDAA.rawValue, "attca": 0x3E0A,
  ]

  /// USER_VERIFY, without the flag for all together, which is not a method.
  static let userVerification: [String: UInt32] = [
    "presence_internal": 0x01, "fingerprint_internal": 0x02, "passcode_internal": UserVerification.passcode,
    "voiceprint_internal": 0x08, "faceprint_internal": 0x10, "location_internal": 0x20, "eyeprint_internal": 0x40,
    "pattern_internal": UserVerification.pattern, "handprint_internal": 0x100, "none": 0x200,
    "passcode_external": 0x800, "pattern_external": 0x1000,
  ]

  /// KEY_PROTECTION.
  static let keyProtection: [String: UInt16] = [
    "software": 0x01, "hardware": 0x02, "tee": 0x04, "secure_element": 0x08, "remote_handle": 0x10,
  ]

  /// MATCHER_PROTECTION.
  static let matcherProtection: [String: UInt16] = ["software": 0x01, "tee": 0x02, "on_chip": 0x04]

  /// ATTACHMENT_HINT.
  static let attachmentHint: [String: UInt32] = [
    "internal": 0x01, "external": 0x02, "wired": 0x04, "wireless": 0x08, "nfc": 0x10, "bluetooth": 0x20,
    "network": 0x40, "ready": 0x80, "wifi_direct": 0x100,
  ]

  /// TRANSACTION_CONFIRMATION_DISPLAY.
  static let tcDisplay: [String: UInt16] = [
    "any": 0x01, "privileged_software": 0x02, "tee": 0x04, "hardware": 0x08, "remote": 0x10,
  ]
}

/// How an authenticator displays transaction images (PNG header values, metadata statement 1.1).
public struct DisplayPNGCharacteristics: JSONRepresentable, Equatable, Sendable {
  /// One palette colour.
  public struct Color: JSONRepresentable, Equatable, Sendable {
    /// Red, green and blue, 16 bits each.
    public let red, green, blue: UInt16

    /// Reads `{"r", "g", "b"}`.
    public init(json: JSONValue, path: String) throws(MessageError) {
      let reader = try MemberReader(json, path: path)
      red = try reader.integer("r", as: UInt16.self)
      green = try reader.integer("g", as: UInt16.self)
      blue = try reader.integer("b", as: UInt16.self)
    }

    /// The colour as JSON.
    public var json: JSONValue {
      .object(["r": .integer(Int64(red)), "g": .integer(Int64(green)), "b": .integer(Int64(blue))])
    }
  }

  /// Image size in pixels.
  public let width, height: UInt32

  /// The PNG header's bytes.
  public let bitDepth, colorType, compression, filter, interlace: UInt8

  /// The palette.
  public let plte: [Color]

  /// Reads the header values.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    width = try reader.integer("width", as: UInt32.self)
    height = try reader.integer("height", as: UInt32.self)
    bitDepth = try reader.integer("bitDepth", as: UInt8.self)
    colorType = try reader.integer("colorType", as: UInt8.self)
    compression = try reader.integer("compression", as: UInt8.self)
    filter = try reader.integer("filter", as: UInt8.self)
    interlace = try reader.integer("interlace", as: UInt8.self)
    plte = try reader.optionalList("plte", mayBeEmpty: true, of: Color.self) ?? []
  }

  /// The header values as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["width": .integer(Int64(width)), "height": .integer(Int64(height))]
    let header = [
      ("bitDepth", bitDepth), ("colorType", colorType), ("compression", compression), ("filter", filter),
      ("interlace", interlace),
    ]
    for (name, value) in header { object.set(name, .integer(Int64(value))) }
    object.set("plte", JSONValue.list(plte))
    return .object(object)
  }
}
