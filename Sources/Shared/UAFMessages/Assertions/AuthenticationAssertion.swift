/// A well-formed authentication assertion; only the server checks its signature.
public struct UnverifiedAuthenticationAssertion: Equatable, Sendable {
  /// The authenticator's model.
  public let aaid: AAID
  /// The authenticator's version.
  public let authenticatorVersion: UInt16
  /// What the authenticator did before it signed.
  public let authenticationMode: AuthenticationMode
  /// Algorithm and encoding of the signature.
  public let signatureAlgorithm: UInt16
  /// The authenticator's own random bytes.
  public let nonce: [UInt8]
  /// Hash of the final challenge parameters' text.
  public let finalChallengeHash: [UInt8]
  /// Hash of the transaction's content; empty unless the mode is ``AuthenticationMode/transactionConfirmed``.
  public let transactionContentHash: [UInt8]
  /// The key that signed.
  public let keyID: KeyID
  /// The key's signature counter; 0 if it does not count.
  public let signCounter: UInt32
  /// Extensions that may be ignored, signed ones first.
  public let extensions: [AssertionExtension]
  /// How the person was verified, from the signed data; nil if the assertion does not say.
  public let verificationMethods: [UserVerificationMethodEntry]?
  /// The signed data with its own tag and length: the bytes that the signature covers.
  public let signedBytes: [UInt8]
  /// The signature.
  public let signature: [UInt8]

  /// Reads TAG_UAFV1_AUTH_ASSERTION: the signed data first, then the signature, nothing left over.
  ///
  /// - Throws: ``TLVError``.
  public init(parsing bytes: [UInt8]) throws(TLVError) {
    guard AssertionScheme.counts.contains(bytes.count) else { throw TLVError(reason: .tooLong, offset: 0) }
    let outer = try TLVElement.single(in: bytes)
    guard outer.tag == .authenticationAssertion else { throw TLVError(reason: .wrongTag, offset: 0) }
    var assertion = try TLVComposite(outer)
    let data = try assertion.first(.signedData)
    signature = try assertion.one(.signature, lengths: Attestation.signatureCounts).value
    let unsigned = try AssertionExtension.all(in: &assertion)
    try assertion.finish()

    var signed = try TLVComposite(data)
    aaid = try signed.aaid()
    let info = try signed.one(.assertionInfo, lengths: 5...5)
    authenticatorVersion = info.value.littleEndian(at: 0, as: UInt16.self)
    signatureAlgorithm = info.value.littleEndian(at: 3, as: UInt16.self)
    nonce = try signed.one(.authenticatorNonce, lengths: AssertionLengths.nonce).value
    finalChallengeHash = try signed.one(.finalChallengeHash, lengths: AssertionLengths.hash).value
    let transaction = try signed.one(.transactionContentHash, lengths: 0...AssertionLengths.hash.upperBound)
    transactionContentHash = transaction.value
    keyID = try signed.keyID()
    signCounter = try signed.one(.counters, lengths: 4...4).value.littleEndian(at: 0, as: UInt32.self)
    let signedExtensions = try AssertionExtension.all(in: &signed)
    verificationMethods = try AssertionExtension.verificationMethods(in: &signed, beside: signedExtensions)
    extensions = signedExtensions + unsigned
    try signed.finish()
    signedBytes = data.encoded
    guard let mode = AuthenticationMode(rawValue: info.value[2]) else {
      throw TLVError(reason: .invalidValue(.assertionInfo), offset: info.offset)
    }
    authenticationMode = mode
    let lengths = mode == .userVerified ? 0...0 : AssertionLengths.hash
    guard lengths.contains(transaction.value.count) else {
      throw TLVError(reason: .wrongLength(.transactionContentHash), offset: transaction.offset)
    }
  }
}

/// Builds the bytes of an authentication assertion.
///
/// First ``signedBytes`` goes to the key, then its signature comes back to ``assertion(signature:)``.
public struct AuthenticationAssertionBuilder: Sendable {
  /// The signed data with its own tag and length: the bytes that must be signed.
  public let signedBytes: [UInt8]

  /// Encodes the signed data; a transaction's hash sets mode 2, its absence mode 1.
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

/// What the authenticator did before it signed (TAG_ASSERTION_INFO).
public enum AuthenticationMode: UInt8, Sendable {
  /// The person was verified.
  case userVerified = 1
  /// The person was verified, saw the transaction and confirmed it.
  case transactionConfirmed = 2
}
