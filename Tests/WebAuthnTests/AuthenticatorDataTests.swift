import CBOR
import Testing
import UAFCrypto
import WebAuthn

@Suite struct AuthenticatorDataTests {
  private static let hash = [UInt8](repeating: 0xAA, count: 32)

  private static func key() throws -> COSEKey { try Ceremony().publicKey() }

  private static func credential() throws -> AttestedCredential {
    try AttestedCredential(
      aaguid: #require(AAGUID([UInt8](1...16))), credentialID: [UInt8](repeating: 5, count: 16), publicKey: key())
  }

  @Test func `writes authenticator data without a credential as hash, flags and counter in 37 bytes`() throws {
    let data = try AuthenticatorData(
      relyingPartyIDHash: Self.hash, flags: [.userPresent, .userVerified], signatureCounter: 0x0102_0304)
    #expect(data.encoded == Self.hash + [0x05, 1, 2, 3, 4])
    #expect(try AuthenticatorData(parsing: data.encoded) == data)
  }

  @Test func `the flags AT and ED are set exactly if their data follows, whatever the caller passes`() throws {
    let none = try AuthenticatorData(
      relyingPartyIDHash: Self.hash, flags: [.userPresent, .attestedCredentialData, .extensionData],
      signatureCounter: 0)
    #expect(none.flags == .userPresent)
    let both = try AuthenticatorData(
      relyingPartyIDHash: Self.hash, flags: .userPresent, signatureCounter: 0,
      attestedCredential: Self.credential(), extensions: ["credProtect": 2])
    #expect(both.flags.rawValue == 0xC1)
    let read = try AuthenticatorData(parsing: both.encoded)
    #expect(read == both && read.extensions == ["credProtect": 2])
    #expect(read.attestedCredential?.aaguid.description == "01020304-0506-0708-090a-0b0c0d0e0f10")
  }

  @Test func `refuses to make authenticator data from a hash or identifier of wrong length`()
    throws
  {
    #expect(throws: WebAuthnError.outOfRange("rpIdHash")) {
      try AuthenticatorData(relyingPartyIDHash: [1], flags: [], signatureCounter: 0)
    }
    for count in [0, 15, 1024] {
      #expect(throws: WebAuthnError.outOfRange("credentialId")) {
        try AttestedCredential(
          aaguid: .zero, credentialID: [UInt8](repeating: 1, count: count), publicKey: Self.key())
      }
    }
  }

  @Test func `refuses authenticator data with a flag without its data, or data without its flag`() throws {
    let plain = Self.hash + [0x05, 0, 0, 0, 0]
    var announced = plain
    announced[32] = 0x45
    #expect(throws: WebAuthnError.truncated("authenticatorData.attestedCredentialData")) {
      try AuthenticatorData(parsing: announced)
    }
    announced[32] = 0x85
    #expect(throws: WebAuthnError.cbor("authenticatorData.extensions", CBORError(reason: .truncated, offset: 37))) {
      try AuthenticatorData(parsing: announced)
    }
    #expect(throws: WebAuthnError.trailingBytes("authenticatorData")) { try AuthenticatorData(parsing: plain + [0xA0]) }
  }

  @Test func `refuses authenticator data whose extensions are not a map with text keys`() throws {
    for (extensions, error) in [
      (CBORValue.array([]).encoded, WebAuthnError.wrongType("authenticatorData.extensions")),
      (CBORValue.map([1: 1]).encoded, .wrongType("authenticatorData.extensions")),
      (CBORValue.map(["a": 1]).encoded + [0], .trailingBytes("authenticatorData")),
    ] {
      #expect(throws: error) { try AuthenticatorData(parsing: Self.hash + [0x85, 0, 0, 0, 0] + extensions) }
    }
  }

  @Test(arguments: [(0, false), (15, false), (16, true), (1023, true), (1024, false), (0xFFFF, false)])
  func `refuses authenticator data with an identifier of wrong length`(_ count: Int, _ isAllowed: Bool) throws {
    let length = [UInt8(count >> 8), UInt8(count & 0xFF)]
    let bytes =
      Self.hash + [0x45, 0, 0, 0, 0] + AAGUID.zero.bytes + length + [UInt8](repeating: 1, count: count)
      + (try Self.key().encoded)
    let read = try? AuthenticatorData(parsing: bytes)
    #expect((read?.attestedCredential?.credentialID.count == count) == isAllowed)
    if !isAllowed { #expect(read == nil) }
  }

  @Test func `keeps the reserved flags of authenticator data, because they are signed`() throws {
    let read = try AuthenticatorData(parsing: Self.hash + [0x27, 0, 0, 0, 0])
    #expect(read.flags.rawValue == 0x27 && read.flags.contains(.userVerified))
  }

  @Test func `refuses authenticator data over the size limit before reading it`() {
    #expect(throws: WebAuthnError.outOfRange("authenticatorData")) {
      try AuthenticatorData(parsing: [UInt8](repeating: 0, count: 8193))
    }
  }

  @Test(arguments: [0, 15, 17]) func `refuses an AAGUID that does not have 16 bytes`(_ count: Int) {
    #expect(AAGUID([UInt8](repeating: 0, count: count)) == nil)
    #expect(AAGUID.zero.description == "00000000-0000-0000-0000-000000000000")
  }
}
