import Testing

@testable import UAFMessages

@Suite struct AssertionTests {
  private let hash = [UInt8](repeating: 0xAB, count: 32)
  private let signature = [UInt8](repeating: 0x11, count: 64)

  private func keyID() throws -> KeyID { try KeyID(bytes: [UInt8](repeating: 7, count: 32)) }

  private func registration() throws -> RegistrationAssertionBuilder {
    try RegistrationAssertionBuilder(
      aaid: AAID("EBA0#0001"), authenticatorVersion: 258, finalChallengeHash: hash, keyID: keyID(), signCounter: 0,
      regCounter: 0x0102_0304, publicKey: [4] + [UInt8](repeating: 9, count: 64))
  }

  private func authentication(transaction: [UInt8]? = nil) throws -> AuthenticationAssertionBuilder {
    try AuthenticationAssertionBuilder(
      aaid: AAID("EBA0#0001"), authenticatorVersion: 1, nonce: [UInt8](repeating: 5, count: 16),
      finalChallengeHash: hash, transactionContentHash: transaction, keyID: keyID(), signCounter: .max)
  }

  /// An assertion in which the elements of one composite were changed and all lengths computed again.
  private func rebuilt(
    _ bytes: [UInt8], _ change: (inout [(TLVTag, [UInt8])]) -> Void
  ) throws -> [UInt8] {
    let outer = try TLVElement.single(in: bytes)
    let parts = try outer.children()
    let first = try #require(parts.first)
    var elements = try first.children().map { ($0.tag, $0.value) }
    change(&elements)
    var inner = TLVWriter()
    for (tag, value) in elements { try inner.append(tag, value) }
    var all = TLVWriter()
    try all.append(first.tag, inner.bytes)
    for part in parts.dropFirst() { try all.append(part.tag, part.value) }
    var writer = TLVWriter()
    try writer.append(outer.tag, all.bytes)
    return writer.bytes
  }

  @Test func `a registration assertion is read back field by field as it was built`() throws {
    let builder = try registration()
    let assertion = try UnverifiedRegistrationAssertion(
      parsing: builder.assertion(attestation: .surrogate(signature: signature)))
    #expect(assertion.signedBytes == builder.signedBytes)
    #expect(assertion.attestation == .surrogate(signature: signature))
    #expect(assertion.authenticatorVersion == 258 && assertion.regCounter == 0x0102_0304)
    #expect(assertion.signCounter == 0 && assertion.publicKey.count == 65)
    #expect(try assertion.keyID == keyID())
    #expect(assertion.signatureAlgorithm == 1 && assertion.publicKeyAlgorithm == 0x100)
  }

  @Test func `a full attestation is built and read with its certificates in order`() throws {
    let full = Attestation.full(signature: signature, certificates: [[1], [2, 3]])
    let bytes = try registration().assertion(attestation: full)
    #expect(try UnverifiedRegistrationAssertion(parsing: bytes).attestation == full)
    let group = Attestation.ecdaa(signature: signature)
    #expect(
      try UnverifiedRegistrationAssertion(parsing: registration().assertion(attestation: group)).attestation == group)
  }

  @Test func `an authentication assertion is read back field by field as it was built`() throws {
    let builder = try authentication()
    let assertion = try UnverifiedAuthenticationAssertion(parsing: builder.assertion(signature: signature))
    #expect(assertion.signedBytes == builder.signedBytes && assertion.signature == signature)
    #expect(assertion.authenticationMode == .userVerified && assertion.transactionContentHash.isEmpty)
    #expect(assertion.signCounter == .max && assertion.nonce.count == 16)
  }

  @Test func `an assertion with the hash of a transaction has mode two`() throws {
    let bytes = try authentication(transaction: hash).assertion(signature: signature)
    let assertion = try UnverifiedAuthenticationAssertion(parsing: bytes)
    #expect(assertion.authenticationMode == .transactionConfirmed && assertion.transactionContentHash == hash)
  }

  @Test func `refuses to build an assertion that it would refuse to read`() throws {
    #expect(throws: TLVError.self) {
      try AuthenticationAssertionBuilder(
        aaid: AAID("EBA0#0001"), authenticatorVersion: 1, nonce: [1, 2, 3, 4, 5, 6, 7], finalChallengeHash: hash,
        keyID: keyID(), signCounter: 1)
    }
    #expect(throws: TLVError.self) { try authentication(transaction: []) }
    #expect(throws: TLVError.self) {
      try AuthenticationAssertionBuilder(
        aaid: AAID("EBA0#0001"), authenticatorVersion: 1, nonce: [UInt8](repeating: 5, count: 8),
        finalChallengeHash: [1], keyID: keyID(), signCounter: 1)
    }
    for (hash, publicKey) in [([], [4]), (hash, [])] as [([UInt8], [UInt8])] {
      #expect(throws: TLVError.self) {
        try RegistrationAssertionBuilder(
          aaid: AAID("EBA0#0001"), authenticatorVersion: 1, finalChallengeHash: hash, keyID: keyID(), signCounter: 0,
          regCounter: 0, publicKey: publicKey)
      }
    }
    #expect(throws: TLVError.self) {
      try authentication().assertion(signature: [UInt8](repeating: 0, count: 4096))
    }
    #expect(throws: TLVError.self) {
      try registration().assertion(attestation: .surrogate(signature: [UInt8](repeating: 0, count: 4096)))
    }
  }

  @Test func `accepts key registration data with its elements in any order`() throws {
    let bytes = try registration().assertion(attestation: .surrogate(signature: signature))
    let reversed = try rebuilt(bytes) { $0.reverse() }
    #expect(try UnverifiedRegistrationAssertion(parsing: reversed).keyID == keyID())
  }

  @Test(arguments: 0..<6) func `refuses key registration data with one element missing or twice`(_ index: Int) throws {
    let bytes = try registration().assertion(attestation: .surrogate(signature: signature))
    let missing = try rebuilt(bytes) { $0.remove(at: index) }
    #expect(throws: TLVError.self) { try UnverifiedRegistrationAssertion(parsing: missing) }
    let twice = try rebuilt(bytes) { $0.append($0[index]) }
    #expect(throws: TLVError.self) { try UnverifiedRegistrationAssertion(parsing: twice) }
  }

  @Test(arguments: 0..<7) func `refuses signed data with one element missing or twice`(_ index: Int) throws {
    let bytes = try authentication().assertion(signature: signature)
    let missing = try rebuilt(bytes) { $0.remove(at: index) }
    #expect(throws: TLVError.self) { try UnverifiedAuthenticationAssertion(parsing: missing) }
    let twice = try rebuilt(bytes) { $0.append($0[index]) }
    #expect(throws: TLVError.self) { try UnverifiedAuthenticationAssertion(parsing: twice) }
  }

  @Test func `skips an unknown element of an assertion, unless its critical bit is set`() throws {
    let bytes = try authentication().assertion(signature: signature)
    let skipped = try rebuilt(bytes) { $0.append((TLVTag(rawValue: 0x0777), [1])) }
    #expect(throws: Never.self) { try UnverifiedAuthenticationAssertion(parsing: skipped) }
    let refused = try rebuilt(bytes) { $0.append((TLVTag(rawValue: 0x2777), [1])) }
    let error = #expect(throws: TLVError.self) { try UnverifiedAuthenticationAssertion(parsing: refused) }
    #expect(error?.reason == .unknownCriticalTag(TLVTag(rawValue: 0x2777)))
  }

  @Test func `refuses a known element where it does not belong`() throws {
    let bytes = try authentication().assertion(signature: signature)
    let misplaced = try rebuilt(bytes) { $0.append((.publicKey, [4])) }
    #expect(throws: TLVError.self) { try UnverifiedAuthenticationAssertion(parsing: misplaced) }
  }

  @Test func `refuses an assertion with an invalid AAID`() throws {
    let bytes = try authentication().assertion(signature: signature)
    let changed = try rebuilt(bytes) { elements in
      for index in elements.indices where elements[index].0 == .aaid { elements[index].1 = Array("EBA0-0001".utf8) }
    }
    let error = #expect(throws: TLVError.self) { try UnverifiedAuthenticationAssertion(parsing: changed) }
    #expect(error?.reason == .invalidValue(.aaid))
  }

  @Test(arguments: [UInt8(0), 2, 3, 255]) func `refuses an assertion whose mode does not fit the hash of a transaction`(
    _ mode: UInt8
  ) throws {
    let bytes = try authentication().assertion(signature: signature)
    let changed = try rebuilt(bytes) { elements in
      for index in elements.indices where elements[index].0 == .assertionInfo { elements[index].1[2] = mode }
    }
    #expect(throws: TLVError.self) { try UnverifiedAuthenticationAssertion(parsing: changed) }
  }

  @Test(arguments: [TLVTag.assertionInfo, .counters, .aaid, .keyID, .authenticatorNonce, .finalChallengeHash])
  func `refuses an assertion with an element of wrong length`(_ tag: TLVTag) throws {
    let bytes = try authentication().assertion(signature: signature)
    let changed = try rebuilt(bytes) { elements in
      for index in elements.indices where elements[index].0 == tag { elements[index].1 = [1, 2, 3] }
    }
    let error = #expect(throws: TLVError.self) { try UnverifiedAuthenticationAssertion(parsing: changed) }
    #expect(error?.reason == .wrongLength(tag))
  }

  @Test func `refuses an assertion whose signature comes before the signed data`() throws {
    let outer = try TLVElement.single(in: authentication().assertion(signature: signature))
    var all = TLVWriter()
    for part in try outer.children().reversed() { try all.append(part.tag, part.value) }
    var writer = TLVWriter()
    try writer.append(outer.tag, all.bytes)
    let bytes = writer.bytes
    let error = #expect(throws: TLVError.self) { try UnverifiedAuthenticationAssertion(parsing: bytes) }
    #expect(error?.reason == .wrongTag)
  }

  @Test func `refuses two attestations, and full attestation without a certificate`() throws {
    let builder = try registration()
    let surrogate = try builder.assertion(attestation: .surrogate(signature: signature))
    let attestation = Array(surrogate.dropFirst(4 + builder.signedBytes.count))
    var two = TLVWriter()
    try two.append(.registrationAssertion, builder.signedBytes + attestation + attestation)
    #expect(throws: TLVError.self) { try UnverifiedRegistrationAssertion(parsing: two.bytes) }
    let bare = try builder.assertion(attestation: .full(signature: signature, certificates: []))
    #expect(throws: TLVError.self) { try UnverifiedRegistrationAssertion(parsing: bare) }
  }
}
