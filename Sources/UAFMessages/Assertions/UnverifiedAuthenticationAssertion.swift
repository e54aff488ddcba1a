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
  /// The signed data with its own tag and length: what the signature covers.
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
