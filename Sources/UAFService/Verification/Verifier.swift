import UAFCrypto
import UAFMessages

/// The server's rules for answers (UAF protocol 1.1, sections 3.4.6.5 and 3.5.7.5).
///
/// It uses no store, no clock and no network: what it needs of them is passed to it.
struct Verifier: Sendable {
  let identity: ServerIdentity
  let models: AuthenticatorModels
  /// Seconds since 1970, for the validity of attestation certificates.
  let now: Int64
  var verificationMethods = VerificationMethodPolicy.off
  var checksChannelBinding = true  // not in a message that another one carries, which names the connection

  /// The checks of a whole message: header, final challenge parameters (`read` if they were read before), facet, binding.
  func check(
    _ header: OperationHeader, fcParams: String, read: FinalChallengeParams? = nil, issued: IssuedRequest
  ) throws(ServiceRefusal) {
    guard header.op == issued.operation else { throw .otherOperation }
    guard header.serverData?.isIdentical(to: issued.serverData) == true else { throw .invalidServerData }
    guard let appID = header.appID, appID.isIdentical(to: issued.appID) else { throw .otherAppID }
    guard let parameters = try? read ?? FinalChallengeParams(encoded: fcParams) else { throw .malformedFinalChallenge }
    guard parameters.appID.isIdentical(to: issued.appID) else { throw .otherAppID }
    guard let challenge = try? Base64URL.decode(parameters.challenge, maximumCount: 64),
      let hash = try? SHA256.hash(challenge), hash == issued.challengeHash
    else { throw .unknownChallenge }
    guard identity.trustedFacets.trusts(parameters.facetID, version: header.upv) else { throw .untrustedFacet }
    guard !checksChannelBinding || identity.accepts(parameters.channelBinding) else { throw .channelBindingMismatch }
  }

  /// The model that an assertion names, in the model's scheme and at least its version.
  ///
  /// - Throws: ``ServiceRefusal``.
  func model(_ aaid: AAID, scheme: String, version: UInt16) throws(ServiceRefusal) -> AuthenticatorModel {
    guard let model = models[aaid] else { throw .unknownAAID }
    guard scheme == model.description.assertionScheme else { throw .unknownScheme }
    guard version >= model.description.authenticatorVersion else { throw .outdatedAuthenticator }
    return model
  }

  /// The model's description, with the version and the KeyIDs of an assertion.
  func description(_ model: AuthenticatorModel, version: UInt16, keyIDs: [KeyID], appID: String)
    -> AuthenticatorDescription
  {
    var description = model.description
    description.authenticatorVersion = version
    description.registrations = [.init(appID: appID, keyIDs: keyIDs)]
    return description
  }

  /// Whether an authenticator meets an accepted criterion of the policy that was sent, and no disallowed one.
  func meets(_ policy: Policy, _ authenticator: AuthenticatorDescription, appID: String) -> Bool {
    guard !policy.disallowed.contains(where: { $0.matches(authenticator, appID: appID) }) else { return false }
    return policy.accepted.joined().contains { $0.matches(authenticator, appID: appID) }
  }

  /// The verified assertions that together meet the first possible alternative; empty if they meet none.
  ///
  /// Of each model only the first assertion counts. Each criterion of an alternative needs an authenticator of its own, and two
  /// authenticators of one model cannot be told from one that signs twice.
  func members<Verified>(
    of verified: [(Verified, AuthenticatorDescription)], meeting policy: Policy, appID: String
  ) -> [Verified] {
    var candidates: [(Verified, AuthenticatorDescription)] = []
    for entry in verified where !candidates.contains(where: { $0.1.aaid == entry.1.aaid }) { candidates.append(entry) }
    guard let chosen = policy.acceptableSets(among: candidates.map(\.1), appID: appID).first else { return [] }
    return candidates.filter { entry in chosen.contains { $0.aaid == entry.1.aaid } }.map(\.0)
  }

  /// The FinalChallengeHash: the SHA-256 of the text as it was sent, not of what it decodes to.
  func finalChallengeHash(_ fcParams: String) -> [UInt8]? {
    try? SHA256.hash(Array(fcParams.utf8))
  }
}

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

extension Verifier {
  /// Compares how the assertion says the person was verified with what the model can do.
  ///
  /// The methods must be exactly one of the statement's alternatives. Each protection must be among those of the statement.
  ///
  /// - Parameter methods: those in the signed part; nil if it names none.
  func verify(_ methods: [UserVerificationMethodEntry]?, model: AuthenticatorModel) throws(ServiceRefusal) {
    guard let methods else {
      guard verificationMethods != .require else { throw .verificationMethodMissing }
      return
    }
    let used = Set(methods.map(\.userVerificationMethod))
    guard model.verificationMethods.contains(used) else { throw .otherVerificationMethod }
    for method in methods {
      guard method.keyProtection & ~model.description.keyProtection == 0,
        method.matcherProtection & ~model.description.matcherProtection == 0
      else { throw .otherVerificationMethod }
    }
  }
}

/// Whether clients are asked how they verified the person (extension `fido.uaf.uvm`).
///
/// What an assertion says of it is compared with the model's statement, asked or not.
package enum VerificationMethodPolicy: String, CaseIterable, Sendable {
  case off
  /// Asked; a client that does not know the extension may ignore it.
  case ask
  /// Asked; an assertion that does not say is refused.
  case require

  /// What stands in a request's header for it.
  var extensions: [Extension] {
    guard self != .off else { return [] }
    return [Extension(id: UserVerificationMethodEntry.extensionID, data: "", failIfUnknown: self == .require)]
  }
}

/// What a server asks of the channel binding in a final challenge.
package enum ChannelBindingPolicy: String, CaseIterable, Sendable {
  /// A client has to name the server's certificate.
  case require
  /// A client that names a certificate has to name the server's.
  case check
  /// What a client names is ignored. For a server behind a proxy that ends TLS with a certificate the server does not know.
  case off
}
