/// Builds the bytes of a registration assertion with surrogate or full attestation.
///
/// First ``signedBytes`` goes to the key, then its signature comes back to ``assertion(attestation:)``.
public struct RegistrationAssertionBuilder: Sendable {
  /// The key registration data with its own tag and length: what has to be signed.
  public let signedBytes: [UInt8]

  /// Encodes the key registration data; `verificationMethods` says how the person was verified, if the server asked.
  ///
  /// - Throws: ``TLVError`` if a length is outside what the reader accepts.
  public init(
    aaid: AAID, authenticatorVersion: UInt16,
    signatureAlgorithm: UInt16 = SignatureAlgorithm.secp256r1ECDSASHA256Raw,
    publicKeyAlgorithm: UInt16 = PublicKeyAlgorithm.eccX962Raw, finalChallengeHash: [UInt8], keyID: KeyID,
    signCounter: UInt32, regCounter: UInt32, publicKey: [UInt8],
    verificationMethods: [UserVerificationMethodEntry]? = nil
  ) throws(TLVError) {
    guard AssertionLengths.hash.contains(finalChallengeHash.count) else {
      throw TLVError(reason: .wrongLength(.finalChallengeHash), offset: 0)
    }
    guard (1...2048).contains(publicKey.count) else { throw TLVError(reason: .wrongLength(.publicKey), offset: 0) }
    var writer = TLVWriter()
    try writer.append(composite: .keyRegistrationData) { (krd) throws(TLVError) in
      try krd.append(.aaid, Array(aaid.text.utf8))
      try krd.append(
        .assertionInfo,
        TLVWriter.littleEndian(authenticatorVersion) + [AuthenticationMode.userVerified.rawValue]
          + TLVWriter.littleEndian(signatureAlgorithm) + TLVWriter.littleEndian(publicKeyAlgorithm))
      try krd.append(.finalChallengeHash, finalChallengeHash)
      try krd.append(.keyID, keyID.bytes)
      try krd.append(.counters, TLVWriter.littleEndian(signCounter) + TLVWriter.littleEndian(regCounter))
      try krd.append(.publicKey, publicKey)
      if let verificationMethods { try UserVerificationMethodEntry.write(verificationMethods, to: &krd) }
    }
    signedBytes = writer.bytes
  }

  /// The whole assertion.
  ///
  /// - Throws: ``TLVError`` if it would be longer than 4096 bytes.
  public func assertion(attestation: Attestation) throws(TLVError) -> [UInt8] {
    var inner = TLVWriter()
    switch attestation {
    case .surrogate(let signature):
      try inner.append(composite: .attestationBasicSurrogate) { (object) throws(TLVError) in
        try object.append(.signature, signature)
      }
    case .full(let signature, let certificates):
      try inner.append(composite: .attestationBasicFull) { (object) throws(TLVError) in
        try object.append(.signature, signature)
        for certificate in certificates { try object.append(.attestationCertificate, certificate) }
      }
    case .ecdaa(let signature):
      try inner.append(composite: .attestationECDAA) { (object) throws(TLVError) in
        try object.append(.signature, signature)
      }
    }
    var writer = TLVWriter()
    try writer.append(.registrationAssertion, signedBytes + inner.bytes)
    guard AssertionScheme.counts.contains(writer.bytes.count) else { throw TLVError(reason: .tooLong, offset: 0) }
    return writer.bytes
  }
}
