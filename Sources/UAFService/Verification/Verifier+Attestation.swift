import UAFCrypto
import UAFMessages

extension Verifier {
  /// Verifies what vouches for a new key (UAF protocol 1.1, section 3.4.6.5, rule 5.7).
  ///
  /// A model with roots must attest fully, one without must not. ECDAA is optional in UAF and not verified here.
  ///
  /// - Parameter publicKey: the new key, checked.
  func verifyAttestation(
    of assertion: UnverifiedRegistrationAssertion, model: AuthenticatorModel, publicKey: VerificationKey
  ) throws(Refusal) {
    let isKnownType = model.description.attestationTypes.contains(assertion.attestation.type)
    switch assertion.attestation {
    case .ecdaa: throw .ecdaaNotSupported
    case .surrogate(let signature):
      guard isKnownType, model.attestationRootCertificates.isEmpty else { throw .otherAttestationType }
      guard assertion.signatureAlgorithm == model.scheme.rawValue else { throw .unacceptableAlgorithm }
      guard publicKey.isValidSignature(signature, of: assertion.signedBytes) else { throw .invalidAttestationSignature }
    case .full(let signature, let certificates):
      guard isKnownType, !model.attestationRootCertificates.isEmpty else { throw .otherAttestationType }
      // The attestation key is another key than the new one, and may be of another kind.
      guard let scheme = SignatureScheme(rawValue: assertion.signatureAlgorithm) else { throw .unacceptableAlgorithm }
      let leaf = try leaf(of: certificates, model: model)
      guard let key = try? VerificationKey(subjectPublicKeyInfo: leaf.subjectPublicKeyInfo, scheme: scheme),
        key.isValidSignature(signature, of: assertion.signedBytes)
      else { throw .invalidAttestationSignature }
    }
  }

  /// The certificate that attests, if a root of the model vouches for it and for this very model.
  private func leaf(of certificates: [[UInt8]], model: AuthenticatorModel) throws(Refusal) -> CertificateChain.Leaf {
    let leaf: CertificateChain.Leaf
    do {
      leaf = try CertificateChain.validate(certificates, roots: model.attestationRootCertificates, at: now)
    } catch { throw .untrustedAttestation }
    guard let named = leaf.aaid else {
      // Under a root that several models have, a leaf that names none of them could be any of them.
      guard !models.sharesRoot(model) else { throw .otherModelAttested }
      return leaf
    }
    guard let aaid = try? AAID(String(decoding: named, as: UTF8.self)), aaid == model.description.aaid else {
      throw .otherModelAttested
    }
    return leaf
  }
}
