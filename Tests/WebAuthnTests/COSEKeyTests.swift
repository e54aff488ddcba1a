import CBOR
import SecretMemory
import Testing
import UAFCrypto
import WebAuthn

@Suite struct COSEKeyTests {
  private static func es256() throws -> COSEKey { try Ceremony().publicKey() }

  private static func members(_ key: COSEKey) throws -> CBORMap { try #require(CBORValue(parsing: key.encoded).map) }

  private static func rs256() throws -> COSEKey { try Example.named("packed.RS256").stored().publicKey }

  @Test func `writes the members of an ES256 key in the order of COSE`() throws {
    let key = try Self.es256()
    let members = try Self.members(key)
    #expect(members.entries.map(\.key) == [1, 3, -1, -2, -3])
    #expect(members[1] == 2 && members[3] == -7 && members[-1] == 1)
    #expect(key.publicKey == [4] + (members[-2]?.bytes ?? []) + (members[-3]?.bytes ?? []))
    #expect(try COSEKey(parsing: key.encoded) == key && COSEKey(stored: key.encoded) == key)
  }

  @Test func `writes the members of an EdDSA key in the order of COSE`() throws {
    let key = try COSEKey(ed25519: [UInt8](repeating: 3, count: 32))
    #expect(key.encoded == [0xA4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 0x20] + [UInt8](repeating: 3, count: 32))
    #expect(try COSEKey(parsing: key.encoded) == key && COSEKey(stored: key.encoded) == key)
  }

  @Test func `reads an RS256 key as it was sent, and as the server has stored it`() throws {
    let key = try Self.rs256()
    #expect(key.algorithm == .rs256)
    #expect(try COSEKey(parsing: key.encoded) == key && COSEKey(stored: key.encoded) == key)
  }

  @Test func `converts each COSE key to a DER SubjectPublicKeyInfo`() throws {
    let key = try Self.es256()
    #expect(try key.subjectPublicKeyInfo == P256.subjectPublicKeyInfo(publicKey: key.publicKey))
    let rsa = try Self.rs256()
    #expect(try VerificationKey(encoded: rsa.subjectPublicKeyInfo, scheme: .rsaPKCS1Raw).encoded == rsa.publicKey)
    let edwards = try COSEKey(ed25519: [UInt8](repeating: 3, count: 32)).subjectPublicKeyInfo
    #expect(edwards.count == 44 && edwards[1] == 42)
  }

  @Test func `refuses a key that is not on the curve, and accepts no signature by such a stored key`() throws {
    var bytes = try Self.es256().encoded
    bytes[bytes.count - 1] ^= 1
    #expect(throws: WebAuthnError.invalidKey("key")) { try COSEKey(parsing: bytes) }
    let stored = try COSEKey(stored: bytes)
    let signature = try ECDSASignature(raw: P256.sign([1], privateKey: Ceremony.privateKey())).der
    #expect(try Self.es256().isValidSignature(signature, of: [1]) && !stored.isValidSignature(signature, of: [1]))
    #expect(throws: WebAuthnError.invalidKey("key")) { try COSEKey(es256: [UInt8](repeating: 4, count: 65)) }
    #expect(throws: WebAuthnError.invalidKey("key")) { try COSEKey(ed25519: [1]) }
  }

  @Test(
    arguments: [
      (1, 1), (1, 3), (3, -8), (3, -257), (3, -35), (3, -65535), (-1, 2), (-1, 8), (4, 1), (2, .bytes([1])),
      (-4, .bytes([1])),
      (-2, .bytes([1])), (-3, true), (-3, .bytes([UInt8](repeating: 0, count: 33))),
    ] as [(CBORValue, CBORValue)]) func `refuses an ES256 key with an additional member or a wrong value`(
      _ label: CBORValue, _ value: CBORValue
    ) throws
  {
    var members = try Self.members(Self.es256())
    members.set(label, value)
    #expect(throws: WebAuthnError.invalidKey("key")) { try COSEKey(parsing: members.encoded) }
    #expect(throws: WebAuthnError.invalidKey("key")) { try COSEKey(stored: members.encoded) }
  }

  @Test func `refuses a COSE key without one of its members`() throws {
    for key in [try Self.es256(), try Self.rs256(), try COSEKey(ed25519: [UInt8](repeating: 3, count: 32))] {
      let entries = try Self.members(key).entries
      for missing in entries.indices {
        var members = CBORMap()
        for (index, entry) in entries.enumerated() where index != missing { members.set(entry.key, entry.value) }
        #expect(throws: WebAuthnError.invalidKey("key")) { try COSEKey(parsing: members.encoded) }
      }
    }
  }

  @Test(
    arguments: [
      (-1, .bytes([0] + [UInt8](repeating: 0xFF, count: 256))), (-1, .bytes([])),
      (-1, .bytes([UInt8](repeating: 0xC1, count: 128))),
      (-2, .bytes([0, 1, 0, 1])), (-2, .bytes([1])), (-2, .bytes([2])), (-2, .bytes([])), (-2, 65537),
    ] as [(CBORValue, CBORValue)]) func `refuses an RS256 key with numbers that are too short, even or padded`(
      _ label: CBORValue, _ value: CBORValue
    ) throws
  {
    var members = try Self.members(Self.rs256())
    members.set(label, value)
    #expect(throws: WebAuthnError.invalidKey("key")) { try COSEKey(parsing: members.encoded) }
  }

  @Test func `refuses padded numbers in an RS256 key that the server has stored, too`() throws {
    for label: CBORValue in [-1, -2] {
      var members = try Self.members(Self.rs256())
      members.set(label, .bytes([0] + (members[label]?.bytes ?? [])))
      #expect(throws: WebAuthnError.invalidKey("key")) { try COSEKey(stored: members.encoded) }
      members.set(label, .bytes([]))
      #expect(throws: WebAuthnError.invalidKey("key")) { try COSEKey(stored: members.encoded) }
    }
  }

  @Test func `refuses a COSE key that is nested, followed by bytes, or too long`() throws {
    let key = try Self.es256().encoded
    #expect(throws: WebAuthnError.cbor("key", CBORError(reason: .trailingBytes, offset: key.count))) {
      try COSEKey(parsing: key + [0])
    }
    #expect(throws: WebAuthnError.cbor("key", CBORError(reason: .tooDeep, offset: 2))) {
      try COSEKey(parsing: [0xA1, 1, 0x80])
    }
    #expect(throws: WebAuthnError.cbor("key", CBORError(reason: .tooLong, offset: 544))) {
      try COSEKey(parsing: [UInt8](repeating: 0, count: 545))
    }
  }
}
