import CBOR
import Testing
import WebAuthn

@Suite struct AttestationObjectTests {
  private static func object() throws -> AttestationObject { try Ceremony().registration().attestationObject }

  private static func members(_ object: AttestationObject) throws -> CBORMap {
    try #require(CBORValue(parsing: object.encoded).map)
  }

  @Test func `an attestation object is read back as it was written`() throws {
    for statement in [AttestationStatement.none, try Self.object().statement] {
      let object = AttestationObject(authenticatorData: try Ceremony().data(registers: true), statement: statement)
      #expect(try AttestationObject(parsing: object.encoded) == object)
    }
  }

  @Test func `refuses an attestation object with a missing, wrong or additional member`() throws {
    let entries = try Self.members(Self.object()).entries
    for entry in entries {
      let name = try #require(entry.key.text)
      var (less, other) = (CBORMap(), CBORMap())
      for kept in entries {
        if kept != entry { less.set(kept.key, kept.value) }
        other.set(kept.key, kept == entry ? true : kept.value)
      }
      #expect(throws: WebAuthnError.missing("attestationObject." + name)) {
        try AttestationObject(parsing: less.encoded)
      }
      #expect(throws: WebAuthnError.wrongType("attestationObject." + name)) {
        try AttestationObject(parsing: other.encoded)
      }
    }
    var more = try Self.members(Self.object())
    more.set("epAtt", true)
    #expect(throws: WebAuthnError.outOfRange("attestationObject")) { try AttestationObject(parsing: more.encoded) }
    #expect(throws: WebAuthnError.wrongType("attestationObject")) { try AttestationObject(parsing: [0x80]) }
  }

  @Test(arguments: ["fido-u2f", "tpm", "android-key", "android-safetynet", "apple", "compound", "None"])
  func `reads an attestation object of another format without what vouches in it`(_ format: String) throws {
    var members = try Self.members(Self.object())
    members.set("fmt", .text(format))
    let read = try AttestationObject(parsing: members.encoded)
    #expect(read.statement == .unread(format: format) && read.encoded == members.encoded)
    #expect(try read.authenticatorData == Self.object().authenticatorData)
  }

  @Test(arguments: ["", "two words", "a\"b", "a\\b", "f\u{f6}rmat", "line\n", String(repeating: "a", count: 33)])
  func `refuses an attestation format whose name is empty, too long or has characters that no name has`(
    _ format: String
  ) throws {
    var members = try Self.members(Self.object())
    members.set("fmt", .text(format))
    #expect(throws: WebAuthnError.outOfRange("attestationObject.fmt")) {
      try AttestationObject(parsing: members.encoded)
    }
  }

  @Test func `refuses an attestation object with the authenticator data of an assertion`() throws {
    var members = try Self.members(Self.object())
    members.set("authData", .bytes(try Ceremony().data(registers: false).encoded))
    #expect(throws: WebAuthnError.missing("attestationObject.authData.attestedCredentialData")) {
      try AttestationObject(parsing: members.encoded)
    }
  }

  @Test func `refuses the attestation format none with a non-empty statement`() throws {
    var members = try Self.members(Self.object())
    members.set("fmt", "none")
    #expect(throws: WebAuthnError.outOfRange("attestationObject.attStmt")) {
      try AttestationObject(parsing: members.encoded)
    }
  }

  @Test func `refuses a malformed packed attestation statement`() throws {
    let certificate = try Example.named("packed.ES256").registrationResponse().attestationObject.statement
    guard case .packed(let packed) = certificate else { return }
    let der = CBORValue.bytes(try #require(packed.certificates.first))
    let refused: [(CBORMap, WebAuthnError)] = [
      ([:], .missing("attestationObject.attStmt.alg")),
      (["alg": -7], .missing("attestationObject.attStmt.sig")),
      (["alg": -35, "sig": .bytes([1])], .outOfRange("attestationObject.attStmt.alg")),
      (["alg": "ES256", "sig": .bytes([1])], .outOfRange("attestationObject.attStmt.alg")),
      (["alg": -7, "sig": "x"], .wrongType("attestationObject.attStmt.sig")),
      (["alg": -7, "sig": .bytes([])], .outOfRange("attestationObject.attStmt.sig")),
      (["alg": -7, "sig": .bytes([1]), "ecdaaKeyId": .bytes([1])], .outOfRange("attestationObject.attStmt")),
      (["alg": -7, "sig": .bytes([1]), "x5c": der], .wrongType("attestationObject.attStmt.x5c")),
      (["alg": -7, "sig": .bytes([1]), "x5c": .array([])], .outOfRange("attestationObject.attStmt.x5c")),
      (["alg": -7, "sig": .bytes([1]), "x5c": .array([1])], .wrongType("attestationObject.attStmt.x5c")),
      (["alg": -7, "sig": .bytes([1]), "x5c": .array([.bytes([1])])], .outOfRange("attestationObject.attStmt.x5c")),
      (
        ["alg": -7, "sig": .bytes([1]), "x5c": .array(Array(repeating: der, count: 9))],
        .outOfRange("attestationObject.attStmt.x5c")
      ),
      (
        ["alg": -7, "sig": .bytes([1]), "x5c": .array([der]), "ver": "2.0"],
        .outOfRange("attestationObject.attStmt")
      ),
    ]
    for (statement, error) in refused {
      var members = try Self.members(Self.object())
      members.set("attStmt", .map(statement))
      #expect(throws: error) { try AttestationObject(parsing: members.encoded) }
    }
  }
}
