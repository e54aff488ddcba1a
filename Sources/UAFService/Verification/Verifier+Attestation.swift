import UAFCrypto
import UAFMessages

extension Verifier {
  /// Verifies the attestation of a new key (UAF protocol 1.1, section 3.4.6.5, rule 5.7).
  ///
  /// A model with roots must use full attestation, a model without roots surrogate attestation. ECDAA is optional in UAF and not
  /// supported here.
  ///
  /// - Parameter publicKey: the new key, already checked.
  func verifyAttestation(
    of assertion: UnverifiedRegistrationAssertion, model: AuthenticatorModel, publicKey: VerificationKey
  ) throws(ServiceRefusal) {
    let isKnownType = model.description.attestationTypes.contains(assertion.attestation.type)
    switch assertion.attestation {
    case .ecdaa: throw .ecdaaNotSupported
    case .surrogate(let signature):
      guard isKnownType, model.attestationRootCertificates.isEmpty else { throw .otherAttestationType }
      guard assertion.signatureAlgorithm == model.scheme.rawValue else { throw .unacceptableAlgorithm }
      guard publicKey.isValidSignature(signature, of: assertion.signedBytes) else { throw .invalidAttestationSignature }
    case .full(let signature, let certificates):
      guard isKnownType, !model.attestationRootCertificates.isEmpty else { throw .otherAttestationType }
      // The attestation key is not the new key, and may use another algorithm.
      guard let scheme = SignatureScheme(rawValue: assertion.signatureAlgorithm) else { throw .unacceptableAlgorithm }
      let leaf = try leaf(of: certificates, model: model)
      guard let key = try? VerificationKey(subjectPublicKeyInfo: leaf.subjectPublicKeyInfo, scheme: scheme),
        key.isValidSignature(signature, of: assertion.signedBytes)
      else { throw .invalidAttestationSignature }
    }
  }

  /// The leaf certificate, if its chain ends at a root of the model, and if it attests this very model.
  private func leaf(of chain: [[UInt8]], model: AuthenticatorModel) throws(ServiceRefusal) -> CertificateChain.Leaf {
    let leaf: CertificateChain.Leaf
    do {
      leaf = try CertificateChain.validate(chain, roots: model.attestationRootCertificates, at: now)
    } catch { throw .untrustedAttestation }
    guard let named = leaf.aaid else {
      // A leaf that names no model could belong to any model with the same root.
      guard !models.sharesRoot(model) else { throw .otherModelAttested }
      return leaf
    }
    guard let aaid = try? AAID(String(decoding: named, as: UTF8.self)), aaid == model.description.aaid else {
      throw .otherModelAttested
    }
    return leaf
  }
}
