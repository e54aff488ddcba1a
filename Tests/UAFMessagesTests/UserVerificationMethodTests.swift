import Testing

@testable import UAFMessages

/// The extension `fido.uaf.uvm`, in headers and in assertions, and the entries that it contains.
struct UserVerificationMethodTests {
  private static let passcode = UserVerificationMethodEntry(
    userVerificationMethod: 4, keyProtection: 1, matcherProtection: 1)
  private static let bytes: [UInt8] = [4, 0, 0, 0, 1, 0, 1, 0]
  private static let id = Array("fido.uaf.uvm".utf8)

  @Test func `reads and writes verification methods of eight bytes, lowest byte first`() {
    let large = UserVerificationMethodEntry(
      userVerificationMethod: 0x0100_0000, keyProtection: 0x0102, matcherProtection: 0x0304)
    #expect(UserVerificationMethodEntry.entries(parsing: Self.bytes) == [Self.passcode])
    #expect(UserVerificationMethodEntry.data(of: [Self.passcode]) == Self.bytes)
    #expect(UserVerificationMethodEntry.data(of: [large]) == [0, 0, 0, 1, 2, 1, 4, 3])
    #expect(
      UserVerificationMethodEntry.entries(parsing: UserVerificationMethodEntry.data(of: [Self.passcode, large]))
        == [Self.passcode, large])
  }

  @Test(
    arguments: [
      [], Array(bytes.dropLast()), bytes + [0], bytes + bytes.dropLast(),
      // The same method, two times.
      bytes + bytes,
      // Four methods, one more than allowed.
      bytes + [2, 0, 0, 0, 1, 0, 1, 0] + [1, 0, 0, 0, 1, 0, 1, 0] + [8, 0, 0, 0, 1, 0, 1, 0],
      // An entry that names no method, two methods, or "all".
      [0, 0, 0, 0, 1, 0, 1, 0], [6, 0, 0, 0, 1, 0, 1, 0], [0, 4, 0, 0, 1, 0, 1, 0],
      // An entry whose protection is zero.
      [4, 0, 0, 0, 0, 0, 1, 0], [4, 0, 0, 0, 1, 0, 0, 0],
    ] as [[UInt8]])
  func `refuses verification methods that are not one to three complete, different entries`(_ data: [UInt8]) {
    #expect(UserVerificationMethodEntry.entries(parsing: data) == nil)
  }

  @Test(
    arguments: [
      (UInt32(0x04), [UInt32(0x04)]), (0x80, [0x80]), (0x484, [0x04, 0x80]), (0x404, [0x04]), (0x84, nil), (0, nil),
      (0x400, nil), (0x40F, nil),
    ] as [(UInt32, [UInt32]?)])
  func `derives the verification methods of an authenticator from its flags, unless they leave a choice`(
    _ flags: UInt32, _ used: [UInt32]?
  )
    throws
  {
    let description = AuthenticatorDescription(aaid: try AAID("FFFF#0001"), userVerification: flags, keyProtection: 6)
    #expect(description.verificationMethods?.map(\.userVerificationMethod) == used)
    #expect(description.verificationMethods?.allSatisfy { $0.keyProtection == 6 } ?? true)
  }

  // MARK: Assertions

  private enum Place: CaseIterable { case signed, unsigned }

  /// An authentication assertion with further elements, inside or outside its signed part.
  private func assertion(
    _ place: Place, _ elements: (tag: TLVTag, id: [UInt8], data: [UInt8])...
  ) throws -> UnverifiedAuthenticationAssertion {
    let builder = try AuthenticationAssertionBuilder(
      aaid: AAID("EBA0#0001"), authenticatorVersion: 1, nonce: [UInt8](repeating: 5, count: 16),
      finalChallengeHash: [UInt8](repeating: 3, count: 32), keyID: KeyID(bytes: [UInt8](repeating: 7, count: 32)),
      signCounter: 1)
    var more = TLVWriter()
    for element in elements {
      try more.append(composite: element.tag) { (object) throws(TLVError) in
        try object.append(.extensionID, element.id)
        try object.append(.extensionData, element.data)
      }
    }
    var inner = TLVWriter()
    let signed = Array(builder.signedBytes.dropFirst(4)) + (place == .signed ? more.bytes : [])
    try inner.append(.signedData, signed)
    try inner.append(.signature, [UInt8](repeating: 1, count: 64))
    var outer = TLVWriter()
    try outer.append(.authenticationAssertion, inner.bytes + (place == .unsigned ? more.bytes : []))
    return try UnverifiedAuthenticationAssertion(parsing: outer.bytes)
  }

  @Test func `reads the verification methods from a signed extension, critical or not`() throws {
    for tag in [TLVTag.nonCriticalExtension, .criticalExtension] {
      #expect(try assertion(.signed, (tag, Self.id, Self.bytes)).verificationMethods == [Self.passcode])
    }
    #expect(try assertion(.signed).verificationMethods == nil)
  }

  @Test func `ignores verification methods outside the signed part`() throws {
    let unsigned = try assertion(.unsigned, (.nonCriticalExtension, Self.id, Self.bytes))
    #expect(unsigned.verificationMethods == nil && unsigned.extensions.count == 1)
    #expect(throws: TLVError.self) { try assertion(.unsigned, (.criticalExtension, Self.id, Self.bytes)) }
  }

  @Test func `refuses any other critical extension, and verification methods that are repeated or unreadable`() throws {
    let other = Array("fido.uaf.uvn".utf8)
    #expect(throws: TLVError.self) { try assertion(.signed, (.criticalExtension, other, Self.bytes)) }
    #expect(throws: TLVError.self) {
      try assertion(.signed, (.nonCriticalExtension, Self.id, Self.bytes), (.criticalExtension, Self.id, Self.bytes))
    }
    #expect(throws: TLVError.self) {
      try assertion(
        .signed, (.nonCriticalExtension, Self.id, Self.bytes), (.nonCriticalExtension, Self.id, Self.bytes))
    }
    for count in 0..<8 {
      #expect(throws: TLVError.self) {
        try assertion(.signed, (.nonCriticalExtension, Self.id, Array(Self.bytes.prefix(count))))
      }
    }
    // The contents of any other extension are not checked.
    #expect(try assertion(.signed, (.nonCriticalExtension, other, [1])).verificationMethods == nil)
  }

  @Test func `verification methods in assertions are read back as they were built`() throws {
    let hash = [UInt8](repeating: 3, count: 32)
    let registration = try RegistrationAssertionBuilder(
      aaid: AAID("EBA0#0001"), authenticatorVersion: 1, finalChallengeHash: hash,
      keyID: KeyID(bytes: hash), signCounter: 0, regCounter: 1, publicKey: hash, verificationMethods: [Self.passcode]
    ).assertion(attestation: .surrogate(signature: hash))
    let authentication = try AuthenticationAssertionBuilder(
      aaid: AAID("EBA0#0001"), authenticatorVersion: 1, nonce: hash, finalChallengeHash: hash,
      keyID: KeyID(bytes: hash), signCounter: 1, verificationMethods: [Self.passcode]
    ).assertion(signature: hash)
    #expect(try UnverifiedRegistrationAssertion(parsing: registration).verificationMethods == [Self.passcode])
    #expect(try UnverifiedAuthenticationAssertion(parsing: authentication).verificationMethods == [Self.passcode])
  }

  // MARK: Messages

  private static func request(_ header: String, _ criteria: String = "") -> String {
    let challenge = String(repeating: "A", count: 43)
    return #"[{"header":{"upv":{"major":1,"minor":1},"op":"Auth","appID":"https://a.test"\#(header)},"#
      + #""challenge":"\#(challenge)","policy":{"accepted":[[{"userVerification":4\#(criteria)}]]}}]"#
  }

  private static let demand = #","exts":[{"id":"fido.uaf.uvm","data":"","fail_if_unknown":true}]"#

  @Test func `accepts the request for verification methods only in the header`() throws {
    #expect(try UAFRequest(parsing: Self.request(Self.demand)).header.asksForVerificationMethods)
    #expect(try !UAFRequest(parsing: Self.request("")).header.asksForVerificationMethods)
    #expect(throws: MessageError.self) { try UAFRequest(parsing: Self.request("", Self.demand)) }
    let similar = Self.demand.replacing("uvm", with: "UVM")
    #expect(throws: MessageError.self) { try UAFRequest(parsing: Self.request(similar)) }
    let beside = Self.demand.replacing("]", with: #",{"id":"x","data":"","fail_if_unknown":true}]"#)
    #expect(throws: MessageError.self) { try UAFRequest(parsing: Self.request(beside)) }
  }
}
