/// Builds the bytes of an authentication assertion.
///
/// First ``signedBytes`` goes to the key, then its signature comes back to ``assertion(signature:)``.
public struct AuthenticationAssertionBuilder: Sendable {
  /// The signed data with its own tag and length: what has to be signed.
  public let signedBytes: [UInt8]

  /// Encodes the signed data; a transaction's hash makes it mode 2, its absence mode 1.
  ///
  /// `verificationMethods` says how the person was verified, if the server asked.
  ///
  /// - Throws: ``TLVError`` if a length is outside what the reader accepts.
  public init(
    aaid: AAID, authenticatorVersion: UInt16,
    signatureAlgorithm: UInt16 = SignatureAlgorithm.secp256r1ECDSASHA256Raw, nonce: [UInt8],
    finalChallengeHash: [UInt8], transactionContentHash: [UInt8]? = nil, keyID: KeyID, signCounter: UInt32,
    verificationMethods: [UserVerificationMethodEntry]? = nil
  ) throws(TLVError) {
    guard AssertionLengths.nonce.contains(nonce.count) else {
      throw TLVError(reason: .wrongLength(.authenticatorNonce), offset: 0)
    }
    guard AssertionLengths.hash.contains(finalChallengeHash.count) else {
      throw TLVError(reason: .wrongLength(.finalChallengeHash), offset: 0)
    }
    if let transactionContentHash, !AssertionLengths.hash.contains(transactionContentHash.count) {
      throw TLVError(reason: .wrongLength(.transactionContentHash), offset: 0)
    }
    let mode: AuthenticationMode = transactionContentHash == nil ? .userVerified : .transactionConfirmed
    var writer = TLVWriter()
    try writer.append(composite: .signedData) { (data) throws(TLVError) in
      try data.append(.aaid, Array(aaid.text.utf8))
      try data.append(
        .assertionInfo,
        TLVWriter.littleEndian(authenticatorVersion) + [mode.rawValue] + TLVWriter.littleEndian(signatureAlgorithm))
      try data.append(.authenticatorNonce, nonce)
      try data.append(.finalChallengeHash, finalChallengeHash)
      try data.append(.transactionContentHash, transactionContentHash ?? [])
      try data.append(.keyID, keyID.bytes)
      try data.append(.counters, TLVWriter.littleEndian(signCounter))
      if let verificationMethods { try UserVerificationMethodEntry.write(verificationMethods, to: &data) }
    }
    signedBytes = writer.bytes
  }

  /// The whole assertion.
  ///
  /// - Throws: ``TLVError`` if it would be longer than 4096 bytes.
  public func assertion(signature: [UInt8]) throws(TLVError) -> [UInt8] {
    var inner = TLVWriter()
    try inner.append(.signature, signature)
    var writer = TLVWriter()
    try writer.append(.authenticationAssertion, signedBytes + inner.bytes)
    guard AssertionScheme.counts.contains(writer.bytes.count) else { throw TLVError(reason: .tooLong, offset: 0) }
    return writer.bytes
  }
}
