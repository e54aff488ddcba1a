/// Why an attestation key is not vouched for.
public enum CertificateChainError: Error, Equatable {
  /// No certificate, more than ``CertificateChain/maximumCount``, or one that is not DER.
  case malformed
  /// A certificate is not issued by the next one.
  case outOfOrder
  /// No path to a root: another issuer, a wrong signature, expired or not yet valid, an issuer that may not issue, or
  /// keys and hashes that are too weak.
  case untrusted
  /// The leaf's key may not be used for signatures.
  case notForSigning
  /// The leaf names its authenticator model twice or in an unknown form.
  case malformedModel
  /// OpenSSL could not do its work.
  case failed(CryptoError)
}

extension CertificateChainError: CustomStringConvertible {
  /// What failed and who has to act.
  public var description: String {
    switch self {
    case .malformed: "not a chain of certificates in DER; the authenticator's maker has to correct it"
    case .outOfOrder: "the certificates are not in order, leaf first; the authenticator's maker has to correct it"
    case .untrusted: "the certificates do not lead to a root of the model's metadata statement"
    case .notForSigning: "the attestation certificate's key may not sign; the authenticator's maker has to correct it"
    case .malformedModel: "the attestation certificate names its authenticator model in an unknown form"
    case .failed(let error): error.description
    }
  }
}
