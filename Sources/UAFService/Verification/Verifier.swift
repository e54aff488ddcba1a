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
  func refusal(
    header: OperationHeader, fcParams: String, read: FinalChallengeParams? = nil, issued: IssuedRequest
  ) -> ServiceRefusal? {
    guard header.op == issued.operation else { return .otherOperation }
    guard header.serverData?.isIdentical(to: issued.serverData) == true else { return .invalidServerData }
    guard let appID = header.appID, appID.isIdentical(to: issued.appID) else { return .otherAppID }
    guard let parameters = try? read ?? FinalChallengeParams(encoded: fcParams) else { return .malformedFinalChallenge }
    guard parameters.appID.isIdentical(to: issued.appID) else { return .otherAppID }
    guard let challenge = try? Base64URL.decode(parameters.challenge, maximumCount: 64),
      let hash = try? SHA256.hash(challenge), hash == issued.challengeHash
    else { return .unknownChallenge }
    guard identity.trustedFacets.trusts(parameters.facetID, version: header.upv) else { return .untrustedFacet }
    guard !checksChannelBinding || identity.accepts(parameters.channelBinding) else { return .channelBindingMismatch }
    return nil
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
