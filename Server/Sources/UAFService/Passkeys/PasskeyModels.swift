import UAFCrypto
import UAFMessages
import WebAuthn

/// The models of passkeys for which certificates can vouch.
///
/// Any authenticator can claim any AAGUID. So a model counts only if the certificates of a packed attestation lead to a root of
/// its metadata statement (WebAuthn Level 3, sections 7.1 and 8.2).
package struct PasskeyModels: Equatable, Sendable {
  private struct Model: Equatable, Sendable {
    let name: String
    let roots: [[UInt8]]
  }

  private var models: [AAGUID: Model] = [:]

  package init() {}

  /// Makes the models from their statements.
  ///
  /// - Throws: as ``add(_:)``.
  package init(_ statements: [FIDO2Statement]) throws(MetadataError) {
    for statement in statements { try add(statement) }
  }

  /// Adds the model of a statement.
  ///
  /// - Throws: ``MetadataError``; a second statement about one model is an error.
  package mutating func add(_ statement: FIDO2Statement) throws(MetadataError) {
    guard let aaguid = AAGUID(text: statement.aaguid), aaguid != .zero else { throw .notAnAAGUID }
    guard models[aaguid] == nil else { throw .repeatedModel }
    guard statement.attestationRootCertificates.allSatisfy(X509.isCertificate) else { throw .notACertificate }
    models[aaguid] = Model(name: statement.description, roots: statement.attestationRootCertificates)
  }

  /// Whether there is a statement about a model.
  package func contains(_ aaguid: AAGUID) -> Bool { models[aaguid] != nil }

  /// The name that the statement gives a model; nil without a statement.
  package func name(of aaguid: AAGUID) -> String? { models[aaguid]?.name }

  /// Whether certificates vouch for a new credential's model.
  ///
  /// - Parameter now: seconds since 1970 at which every certificate of the path must be valid.
  func vouches(for credential: RegisteredCredential, at now: Int64) -> Bool {
    guard case .certified(let chain) = credential.attestation, let model = models[credential.aaguid],
      let leaf = chain.first, let certificate = try? AttestationCertificate(der: leaf)
    else { return false }
    // The signature was verified with a leaf that names this model or none. One that names none could belong to any model of
    // the same maker, unless the statement names the leaf itself.
    guard certificate.aaguid != nil || model.roots.contains(leaf) else { return false }
    return (try? CertificateChain.validate(chain, roots: model.roots, at: now)) != nil
  }
}
