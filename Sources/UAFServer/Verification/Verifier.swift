import UAFCrypto
import UAFMessages

/// The server's rules for answers (UAF protocol, sections 3.4.6.5 and 3.5.7.5).
///
/// Knows no store, no clock, no network.
struct Verifier: Sendable {
  let identity: ServerIdentity
  let models: AuthenticatorModels

  /// The checks of a whole message: header, final challenge parameters, facet, channel binding.
  func refusal(header: OperationHeader, fcParams: String, issued: IssuedRequest) -> Refusal? {
    guard header.op == issued.operation else { return .otherOperation }
    guard let serverData = header.serverData, serverData.isIdentical(to: issued.serverData) else {
      return .invalidServerData
    }
    guard let appID = header.appID, appID.isIdentical(to: issued.appID) else { return .otherAppID }
    guard let parameters = try? FinalChallengeParams(encoded: fcParams) else { return .malformedFinalChallenge }
    guard parameters.appID.isIdentical(to: issued.appID) else { return .otherAppID }
    guard let challenge = try? Base64URL.decode(parameters.challenge, maximumCount: 64),
      let hash = try? SHA256.hash(challenge), hash == issued.challengeHash
    else { return .unknownChallenge }
    guard identity.trustedFacets.trusts(parameters.facetID, version: header.upv) else { return .untrustedFacet }
    guard isOurs(parameters.channelBinding) else { return .channelBindingMismatch }
    return nil
  }

  /// Each known member must name our certificate; a client that knows nothing of its connection may say so.
  ///
  /// `tlsUnique` and `cid_pubkey` are not compared: nothing that ends TLS here tells their values.
  private func isOurs(_ binding: ChannelBinding) -> Bool {
    if let text = binding.serverEndPoint {
      guard let hash = identity.serverEndPoint, text == Base64URL.encode(hash) else { return false }
    }
    if let text = binding.tlsServerCertificate {
      guard let certificate = identity.certificate, text == Base64URL.encode(certificate) else { return false }
    }
    return true
  }

  /// The model's own description with what an assertion says of its version.
  func description(_ model: AuthenticatorModel, version: UInt16, keyIDs: [KeyID], appID: String)
    -> AuthenticatorDescription
  {
    var description = model.description
    description.authenticatorVersion = version
    description.registrations = [.init(appID: appID, keyIDs: keyIDs)]
    return description
  }

  /// Whether one authenticator meets some criterion of the policy that was sent, and none that excludes.
  func meets(_ policy: Policy, _ authenticator: AuthenticatorDescription, appID: String) -> Bool {
    guard !policy.disallowed.contains(where: { $0.matches(authenticator, appID: appID) }) else { return false }
    return policy.accepted.joined().contains { $0.matches(authenticator, appID: appID) }
  }

  /// The verified members of the first alternative that they meet together; empty if they meet none.
  func members<Verified>(
    of verified: [(Verified, AuthenticatorDescription)], meeting policy: Policy, appID: String
  ) -> [Verified] {
    guard let chosen = policy.acceptableSets(among: verified.map(\.1), appID: appID).first else { return [] }
    return verified.filter { entry in chosen.contains { $0.aaid == entry.1.aaid } }.map(\.0)
  }

  /// Whether a signature holds, in the encoding that `algorithm` names.
  func holds(_ signature: [UInt8], over signed: [UInt8], algorithm: UInt16, publicKey: [UInt8]) -> Bool {
    switch algorithm {
    case SignatureAlgorithm.secp256r1ECDSASHA256Raw:
      P256.isValidSignature(signature, of: signed, publicKey: publicKey)
    case SignatureAlgorithm.secp256r1ECDSASHA256DER:
      P256.isValidSignature(der: signature, of: signed, publicKey: publicKey)
    default: false
    }
  }

  /// The FinalChallengeHash: over the text as it was sent, not over what it decodes to.
  func finalChallengeHash(_ fcParams: String) -> [UInt8]? {
    try? SHA256.hash(Array(fcParams.utf8))
  }
}
