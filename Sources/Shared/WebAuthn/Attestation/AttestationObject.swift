import CBOR
import UAFCrypto

/// The authenticator's part of a registration response (WebAuthn Level 3, section 6.5.4).
public struct AttestationObject: Equatable, Sendable {
  /// The authenticator data, with the new credential.
  public let authenticatorData: AuthenticatorData

  /// Who vouches for the authenticator.
  public let statement: AttestationStatement

  /// The object in CBOR.
  public let encoded: [UInt8]

  /// Longest form in bytes that is read: eight certificates of 4 KiB, and the authenticator data.
  public static let maximumByteCount = 49_152

  /// Makes an attestation object.
  public init(authenticatorData: AuthenticatorData, statement: AttestationStatement) {
    self.authenticatorData = authenticatorData
    self.statement = statement
    let object: CBORMap = [
      "fmt": .text(statement.format), "attStmt": .map(statement.map), "authData": .bytes(authenticatorData.encoded),
    ]
    encoded = object.encoded
  }

  /// Reads an attestation object, which has authenticator data with a credential.
  ///
  /// - Throws: ``WebAuthnError`` whose path begins with `attestationObject`.
  public init(parsing bytes: [UInt8]) throws(WebAuthnError) {
    try self.init(parsing: bytes, path: "attestationObject")
  }

  init(parsing bytes: [UInt8], path: String) throws(WebAuthnError) {
    let limits = CBORLimits(maximumBytes: Self.maximumByteCount)
    guard let object = try CBORValue(webAuthn: bytes, limits: limits, path: path).map else { throw .wrongType(path) }
    guard let format = object["fmt"] else { throw .missing(path + ".fmt") }
    guard let statement = object["attStmt"] else { throw .missing(path + ".attStmt") }
    guard let data = object["authData"] else { throw .missing(path + ".authData") }
    guard object.entries.count == 3 else { throw .outOfRange(path) }
    guard let format = format.text else { throw .wrongType(path + ".fmt") }
    guard let statement = statement.map else { throw .wrongType(path + ".attStmt") }
    guard let data = data.bytes else { throw .wrongType(path + ".authData") }
    authenticatorData = try AuthenticatorData(parsing: data, path: path + ".authData")
    guard authenticatorData.attestedCredential != nil else { throw .missing(path + ".authData.attestedCredentialData") }
    self.statement = try AttestationStatement(format: format, statement, path: path)
    encoded = bytes
  }
}

/// An attestation statement; ``RegistrationVerification`` accepts the formats `none` and `packed` alone.
public enum AttestationStatement: Equatable, Sendable {
  /// Nobody vouches (WebAuthn Level 3, section 8.7).
  case none
  /// The format `packed` (WebAuthn Level 3, section 8.2).
  case packed(PackedStatement)
  /// Another format, such as `tpm`, `fido-u2f`, `android-key` or `apple`; what vouches in it is not read, and not kept.
  case unread(format: String)

  init(format: String, _ map: CBORMap, path: String) throws(WebAuthnError) {
    switch format {
    case "none":
      guard map.entries.isEmpty else { throw .outOfRange(path + ".attStmt") }
      self = .none
    case "packed": self = .packed(try PackedStatement(map, path: path + ".attStmt"))
    default:
      // WebAuthn Level 3, section 8.1: at most 32 octets of printable ASCII without `"` and `\`.
      guard (1...32).contains(format.utf8.count),
        format.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
      else { throw .outOfRange(path + ".fmt") }
      self = .unread(format: format)
    }
  }

  /// The format's name.
  public var format: String {
    switch self {
    case .none: "none"
    case .packed: "packed"
    case .unread(let format): format
    }
  }

  fileprivate var map: CBORMap {
    switch self {
    case .none, .unread: [:]
    case .packed(let statement): statement.map
    }
  }
}

/// A signature over authenticator data and the hash of the client data.
public struct PackedStatement: Equatable, Sendable {
  /// The signature's algorithm.
  public let algorithm: COSEAlgorithm

  /// The signature.
  public let signature: [UInt8]

  /// The certificates of the key that signed, leaf first, DER; empty if the new credential's own key signed.
  public let certificates: [[UInt8]]

  /// The most certificates that are read.
  public static let maximumCertificates = 8

  /// Makes a statement; without certificates it is self attestation.
  public init(algorithm: COSEAlgorithm, signature: [UInt8], certificates: [[UInt8]] = []) {
    self.algorithm = algorithm
    self.signature = signature
    self.certificates = certificates
  }

  fileprivate init(_ map: CBORMap, path: String) throws(WebAuthnError) {
    guard let number = map["alg"] else { throw .missing(path + ".alg") }
    guard let algorithm = number.integer.flatMap(COSEAlgorithm.init(rawValue:)) else {
      throw .outOfRange(path + ".alg")
    }
    guard let signature = map["sig"] else { throw .missing(path + ".sig") }
    guard let signature = signature.bytes else { throw .wrongType(path + ".sig") }
    guard (1...1024).contains(signature.count) else { throw .outOfRange(path + ".sig") }
    self.algorithm = algorithm
    self.signature = signature
    certificates =
      try map["x5c"].map { value throws(WebAuthnError) in try Self.chain(value, path: path + ".x5c") } ?? []
    guard map.entries.count == (certificates.isEmpty ? 2 : 3) else { throw .outOfRange(path) }
  }

  private static func chain(_ value: CBORValue, path: String) throws(WebAuthnError) -> [[UInt8]] {
    guard let elements = value.array else { throw .wrongType(path) }
    guard (1...maximumCertificates).contains(elements.count) else { throw .outOfRange(path) }
    var chain: [[UInt8]] = []
    for element in elements {
      guard let der = element.bytes else { throw .wrongType(path) }
      guard X509.isCertificate(der) else { throw .outOfRange(path) }
      chain.append(der)
    }
    return chain
  }

  fileprivate var map: CBORMap {
    var map: CBORMap = ["alg": .integer(algorithm.rawValue), "sig": .bytes(signature)]
    if !certificates.isEmpty { map.set("x5c", .array(certificates.map { .bytes($0) })) }
    return map
  }
}

/// The bytes that the signatures of WebAuthn cover: the authenticator data, then the hash of the client data.
///
/// The signature of an assertion (WebAuthn Level 3, section 6.3.3) and that of a packed attestation (WebAuthn Level 3, section
/// 8.2) are over the same structure. They differ only in the type in the client data and in the flag AT.
public enum SignatureBase {
  /// The bytes to sign.
  ///
  /// - Throws: ``CryptoError``.
  public static func bytes(
    _ authenticatorData: AuthenticatorData, _ clientData: CollectedClientData
  ) throws(CryptoError) -> [UInt8] {
    authenticatorData.encoded + (try clientData.hash())
  }
}
