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

  /// Takes the one attestation object out of a registration assertion.
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
