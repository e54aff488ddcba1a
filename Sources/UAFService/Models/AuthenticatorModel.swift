import UAFCrypto
import UAFMessages

/// What the server knows of an authenticator model: the part of its metadata statement that verification needs.
package struct AuthenticatorModel: Equatable, Sendable {
  /// Characteristics for policy matching; the version is the lowest one that is acceptable.
  package let description: AuthenticatorDescription
  /// How its keys sign.
  let scheme: SignatureScheme
  /// How it encodes its public keys.
  let publicKeyEncoding: PublicKeyEncoding
  /// How it verifies the person: alternatives, each with the USER_VERIFY flags of the methods that are used together.
  let verificationMethods: [Set<UInt32>]
  /// Roots for full attestation, DER.
  ///
  /// Empty means surrogate attestation, and nothing else.
  let attestationRootCertificates: [[UInt8]]

  /// Makes a model from its statement.
  ///
  /// - Throws: ``MetadataError`` if assertions of the model could not be verified here.
  package init(_ statement: MetadataStatement) throws(MetadataError) {
    guard statement.assertionScheme == AssertionScheme.uafV1TLV else { throw .unknownScheme }
    guard let scheme = SignatureScheme(rawValue: statement.authenticationAlgorithm) else { throw .unknownAlgorithm }
    guard let encoding = PublicKeyEncoding(rawValue: statement.publicKeyAlgAndEncoding), encoding.fits(scheme) else {
      throw .unknownKeyEncoding
    }
    guard statement.attestationRootCertificates.allSatisfy(X509.isCertificate) else { throw .notACertificate }
    description = statement.authenticator
    self.scheme = scheme
    publicKeyEncoding = encoding
    verificationMethods = statement.userVerificationDetails.map { Set($0.map(\.userVerification)) }
    attestationRootCertificates = statement.attestationRootCertificates
  }
}
