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
  /// The key registration data with its own tag and length: the bytes that the attestation signature covers.
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

/// Builds the bytes of a registration assertion with surrogate or full attestation.
///
/// First ``signedBytes`` goes to the key, then its signature comes back to ``assertion(attestation:)``.
public struct RegistrationAssertionBuilder: Sendable {
  /// The key registration data with its own tag and length: the bytes that must be signed.
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

/// The attestation of a new key.
public enum Attestation: Equatable, Sendable {
  /// Signed by the new key itself: says nothing about the model.
  case surrogate(signature: [UInt8])
  /// Signed by the model's attestation key; certificates in DER, leaf first, at least one.
  case full(signature: [UInt8], certificates: [[UInt8]])
  /// Signed by a group key (optional in UAF 1.1).
  case ecdaa(signature: [UInt8])

  /// The attestation type of the registry, as in policies and metadata.
  public var type: UInt16 {
    switch self {
    case .surrogate: TLVTag.attestationBasicSurrogate.rawValue
    case .full: TLVTag.attestationBasicFull.rawValue
    case .ecdaa: TLVTag.attestationECDAA.rawValue
    }
  }

  /// Extracts the only attestation object from a registration assertion.
  init(from assertion: inout TLVComposite, offset: Int) throws(TLVError) {
    let full = try assertion.optional(.attestationBasicFull)
    let surrogate = try assertion.optional(.attestationBasicSurrogate)
    let ecdaa = try assertion.optional(.attestationECDAA)
    switch (full, surrogate, ecdaa) {
    case (let element?, nil, nil): self = try Self.full(element)
    case (nil, let element?, nil): self = .surrogate(signature: try Self.signature(element))
    case (nil, nil, let element?): self = .ecdaa(signature: try Self.signature(element))
    case (nil, nil, nil): throw TLVError(reason: .missingTag(.attestationBasicSurrogate), offset: offset)
    default: throw TLVError(reason: .repeatedTag(.attestationBasicSurrogate), offset: offset)
    }
  }

  static let signatureCounts = 1...1024

  private static func signature(_ element: TLVElement) throws(TLVError) -> [UInt8] {
    var composite = try TLVComposite(element)
    let signature = try composite.one(.signature, lengths: signatureCounts)
    try composite.finish()
    return signature.value
  }

  private static func full(_ element: TLVElement) throws(TLVError) -> Attestation {
    var composite = try TLVComposite(element)
    let signature = try composite.one(.signature, lengths: signatureCounts)
    let certificates = composite.all(.attestationCertificate)
    try composite.finish()
    guard !certificates.isEmpty else {
      throw TLVError(reason: .missingTag(.attestationCertificate), offset: element.offset)
    }
    for certificate in certificates where certificate.value.isEmpty {
      throw TLVError(reason: .wrongLength(.attestationCertificate), offset: certificate.offset)
    }
    return .full(signature: signature.value, certificates: certificates.map(\.value))
  }
}
