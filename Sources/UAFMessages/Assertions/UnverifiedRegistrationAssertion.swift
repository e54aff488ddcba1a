/// A well-formed registration assertion; only the server checks its signature.
public struct UnverifiedRegistrationAssertion: Equatable, Sendable {
  /// The authenticator's model.
  public let aaid: AAID
  /// The authenticator's version.
  public let authenticatorVersion: UInt16
  /// Algorithm and encoding of the attestation signature.
  public let signatureAlgorithm: UInt16
  /// Algorithm and encoding of the public key.
  public let publicKeyAlgorithm: UInt16
  /// Hash of the final challenge parameters' text.
  public let finalChallengeHash: [UInt8]
  /// Identifies the new key.
  public let keyID: KeyID
  /// The key's signature counter.
  public let signCounter: UInt32
  /// The authenticator's count of registrations; 0 if it does not count.
  public let regCounter: UInt32
  /// The new public key in the encoding of ``publicKeyAlgorithm``.
  public let publicKey: [UInt8]
  /// Extensions that may be ignored, signed ones first.
  public let extensions: [AssertionExtension]
  /// How the person was verified, from the signed data; nil if the assertion does not say.
  public let verificationMethods: [UserVerificationMethodEntry]?
  /// The key registration data with its own tag and length: what the attestation signature covers.
  public let signedBytes: [UInt8]
  /// The attestation of the key.
  public let attestation: Attestation

  /// Reads TAG_UAFV1_REG_ASSERTION: the key registration data first, then one attestation, nothing left over.
  ///
  /// - Throws: ``TLVError``.
  public init(parsing bytes: [UInt8]) throws(TLVError) {
    guard AssertionScheme.counts.contains(bytes.count) else { throw TLVError(reason: .tooLong, offset: 0) }
    let outer = try TLVElement.single(in: bytes)
    guard outer.tag == .registrationAssertion else { throw TLVError(reason: .wrongTag, offset: 0) }
    var assertion = try TLVComposite(outer)
    let data = try assertion.first(.keyRegistrationData)
    attestation = try Attestation(from: &assertion, offset: outer.offset)
    let unsigned = try AssertionExtension.all(in: &assertion)
    try assertion.finish()

    var krd = try TLVComposite(data)
    aaid = try krd.aaid()
    let info = try krd.one(.assertionInfo, lengths: 7...7)
    authenticatorVersion = info.value.littleEndian(at: 0, as: UInt16.self)
    signatureAlgorithm = info.value.littleEndian(at: 3, as: UInt16.self)
    publicKeyAlgorithm = info.value.littleEndian(at: 5, as: UInt16.self)
    finalChallengeHash = try krd.one(.finalChallengeHash, lengths: AssertionLengths.hash).value
    keyID = try krd.keyID()
    let counters = try krd.one(.counters, lengths: 8...8).value
    signCounter = counters.littleEndian(at: 0, as: UInt32.self)
    regCounter = counters.littleEndian(at: 4, as: UInt32.self)
    publicKey = try krd.one(.publicKey, lengths: 1...2048).value
    let signedExtensions = try AssertionExtension.all(in: &krd)
    verificationMethods = try AssertionExtension.verificationMethods(in: &krd, beside: signedExtensions)
    extensions = signedExtensions + unsigned
    try krd.finish()
    signedBytes = data.encoded
    guard info.value[2] == AuthenticationMode.userVerified.rawValue else {
      throw TLVError(reason: .invalidValue(.assertionInfo), offset: info.offset)
    }
  }
}
