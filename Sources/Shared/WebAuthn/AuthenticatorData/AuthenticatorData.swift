import CBOR
import UAFCrypto

/// What an authenticator signs about itself (WebAuthn Level 3, section 6.1).
///
///     rpIdHash (32) | flags (1) | signCount (4, big-endian) | attested credential data, if AT | extensions, if ED
public struct AuthenticatorData: Equatable, Sendable {
  /// SHA-256 of the relying party's identifier.
  public let relyingPartyIDHash: [UInt8]

  /// The flags as they were sent, reserved ones included.
  public let flags: AuthenticatorFlags

  /// How often the credential has signed; 0 if the authenticator does not count.
  public let signatureCounter: UInt32

  /// The new credential; only in a registration.
  public let attestedCredential: AttestedCredential?

  /// The outputs of extensions by name; nil if there are none.
  public let extensions: CBORMap?

  /// The bytes that are signed.
  public let encoded: [UInt8]

  /// Longest form in bytes that is read.
  public static let maximumByteCount = 8192

  /// Makes the data of an assertion, or with a credential that of a registration; the flags AT and ED are set if there is a
  /// credential or an extension.
  ///
  /// - Throws: ``WebAuthnError/outOfRange(_:)`` for a hash that is not 32 bytes long.
  public init(
    relyingPartyIDHash: [UInt8], flags: AuthenticatorFlags, signatureCounter: UInt32,
    attestedCredential: AttestedCredential? = nil, extensions: CBORMap? = nil
  ) throws(WebAuthnError) {
    guard relyingPartyIDHash.count == SHA256.byteCount else { throw .outOfRange("rpIdHash") }
    var flags = flags.subtracting([.attestedCredentialData, .extensionData])
    if attestedCredential != nil { flags.insert(.attestedCredentialData) }
    if extensions != nil { flags.insert(.extensionData) }
    self.relyingPartyIDHash = relyingPartyIDHash
    self.flags = flags
    self.signatureCounter = signatureCounter
    self.attestedCredential = attestedCredential
    self.extensions = extensions
    let counter = (0..<4).reversed().map { UInt8(truncatingIfNeeded: signatureCounter >> ($0 * 8)) }
    encoded =
      relyingPartyIDHash + [flags.rawValue] + counter + (attestedCredential?.encoded ?? [])
      + (extensions?.encoded ?? [])
  }

  /// Reads the data; nothing may be missing or left over.
  ///
  /// - Throws: ``WebAuthnError`` whose path begins with `authenticatorData`.
  public init(parsing bytes: [UInt8]) throws(WebAuthnError) {
    try self.init(parsing: bytes, path: "authenticatorData")
  }

  init(parsing bytes: [UInt8], path: String) throws(WebAuthnError) {
    guard bytes.count <= Self.maximumByteCount else { throw .outOfRange(path) }
    guard bytes.count >= Self.fixedByteCount else { throw .truncated(path) }
    relyingPartyIDHash = Array(bytes[..<32])
    flags = AuthenticatorFlags(rawValue: bytes[32])
    signatureCounter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    encoded = bytes
    var position = Self.fixedByteCount
    attestedCredential =
      flags.contains(.attestedCredentialData)
      ? try AttestedCredential(in: bytes, at: &position, path: path + ".attestedCredentialData") : nil
    extensions =
      flags.contains(.extensionData) ? try Self.extensions(in: bytes, at: &position, path: path + ".extensions") : nil
    guard position == bytes.count else { throw .trailingBytes(path) }
  }

  private static let fixedByteCount = 37

  private static func extensions(
    in bytes: [UInt8], at position: inout Int, path: String
  ) throws(WebAuthnError) -> CBORMap {
    guard let map = try CBORValue.next(webAuthn: bytes, at: &position, path: path).map else { throw .wrongType(path) }
    guard map.entries.allSatisfy({ $0.key.text != nil }) else { throw .wrongType(path) }
    return map
  }
}

/// The flags of authenticator data; the bits 0x02 and 0x20 are reserved, and readers ignore them.
public struct AuthenticatorFlags: OptionSet, Hashable, Sendable {
  /// The byte as it is sent.
  public let rawValue: UInt8

  /// Makes flags of a byte.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// UP: somebody was there.
  public static let userPresent = AuthenticatorFlags(rawValue: 0x01)
  /// UV: the authenticator verified the person.
  public static let userVerified = AuthenticatorFlags(rawValue: 0x04)
  /// BE: the credential may be copied to other machines.
  public static let backupEligible = AuthenticatorFlags(rawValue: 0x08)
  /// BS: the credential has been copied to other machines.
  public static let backedUp = AuthenticatorFlags(rawValue: 0x10)
  /// AT: attested credential data follows.
  public static let attestedCredentialData = AuthenticatorFlags(rawValue: 0x40)
  /// ED: outputs of extensions follow.
  public static let extensionData = AuthenticatorFlags(rawValue: 0x80)
}

/// A new credential (WebAuthn Level 3, section 6.5.1): `aaguid (16) | length (2, big-endian) | credential ID | COSE key`.
public struct AttestedCredential: Equatable, Sendable {
  /// The authenticator's model.
  public let aaguid: AAGUID

  /// The credential's identifier.
  public let credentialID: [UInt8]

  /// Its public key.
  public let publicKey: COSEKey

  /// Allowed lengths of an identifier in bytes (WebAuthn Level 3, section 4, "Credential ID", and section 7.1).
  public static let credentialIDByteCounts = 16...1023

  /// Makes a credential.
  ///
  /// - Throws: ``WebAuthnError/outOfRange(_:)`` for an identifier of a length that is not allowed.
  public init(aaguid: AAGUID, credentialID: [UInt8], publicKey: COSEKey) throws(WebAuthnError) {
    guard Self.credentialIDByteCounts.contains(credentialID.count) else { throw .outOfRange("credentialId") }
    self.aaguid = aaguid
    self.credentialID = credentialID
    self.publicKey = publicKey
  }

  init(in bytes: [UInt8], at position: inout Int, path: String) throws(WebAuthnError) {
    guard bytes.count - position >= 18 else { throw .truncated(path) }
    let lengthStart = position + AAGUID.byteCount
    guard let aaguid = AAGUID(Array(bytes[position..<lengthStart])) else { throw .truncated(path) }
    let length = Int(bytes[lengthStart]) << 8 | Int(bytes[lengthStart + 1])
    guard Self.credentialIDByteCounts.contains(length) else { throw .outOfRange(path + ".credentialId") }
    let start = lengthStart + 2
    guard bytes.count - start >= length else { throw .truncated(path) }
    position = start + length
    self.aaguid = aaguid
    credentialID = Array(bytes[start..<position])
    let keyPath = path + ".credentialPublicKey"
    publicKey = try COSEKey(CBORValue.next(webAuthn: bytes, at: &position, path: keyPath), path: keyPath)
  }

  /// The bytes in authenticator data.
  var encoded: [UInt8] {
    let length = [UInt8(truncatingIfNeeded: credentialID.count >> 8), UInt8(truncatingIfNeeded: credentialID.count)]
    return aaguid.bytes + length + credentialID + publicKey.encoded
  }
}

/// The identifier of an authenticator's model, 16 bytes.
///
/// Any authenticator can claim any AAGUID: it means something only together with an attestation that was verified.
public struct AAGUID: Hashable, Sendable, CustomStringConvertible {
  /// Its length in bytes.
  public static let byteCount = 16

  /// All zeros: an authenticator that does not say what it is.
  public static let zero = AAGUID(unchecked: [UInt8](repeating: 0, count: byteCount))

  /// The identifier.
  public let bytes: [UInt8]

  /// Reads 16 bytes; nil for any other number.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Reads the form of ``description``; nil for any other text.
  public init?(text: String) {
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    guard digits.count == 2 * Self.byteCount else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else { return nil }
      bytes.append(byte)
    }
    self.bytes = bytes
    guard description.utf8.elementsEqual(text.utf8) else { return nil }
  }

  private init(unchecked bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The form of RFC 9562: `01020304-0506-0708-090a-0b0c0d0e0f10`.
  public var description: String {
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return text
  }
}

extension CBORValue {
  /// Reads the value that begins at a position, and moves the position behind it.
  static func next(webAuthn bytes: [UInt8], at position: inout Int, path: String) throws(WebAuthnError) -> CBORValue {
    do {
      return try next(in: bytes.span, at: &position)
    } catch {
      throw WebAuthnError.cbor(path, error)
    }
  }
}
