import UAFMessages

/// What the server knows of an authenticator model: the part of its metadata statement that verification needs.
struct AuthenticatorModel: Equatable, Sendable {
  let name: String
  /// Characteristics for policy matching; the version is the lowest one that is acceptable.
  let description: AuthenticatorDescription
  let publicKeyAlgorithm: UInt16
  /// Roots for full attestation, DER.
  ///
  /// Empty means surrogate attestation, and nothing else.
  let attestationRootCertificates: [[UInt8]]

  init(
    name: String, description: AuthenticatorDescription, publicKeyAlgorithm: UInt16 = PublicKeyAlgorithm.eccX962Raw,
    attestationRootCertificates: [[UInt8]] = []
  ) {
    self.name = name
    self.description = description
    self.publicKeyAlgorithm = publicKeyAlgorithm
    self.attestationRootCertificates = attestationRootCertificates
  }
}
