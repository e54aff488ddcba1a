import UAFCrypto
import UAFMessages

@testable import UAFService

extension TestServer {
  /// A verified answer, the first one, of an account that is registered for it.
  func verifiedAnswer(of name: String) async throws -> VerifiedAnswer {
    let authenticator = try await registered(name)
    let request = try await authenticationRequest(name)
    guard case .authentication(let response) = try authenticator.authenticate(request, counter: 1) else {
      throw Unexpected()
    }
    return try await verified(response, of: name, request)
  }

  /// What the store is to keep of an answer that is valid.
  func verified(
    _ response: AuthenticationResponse, of username: String, _ request: AuthenticationRequest
  ) async throws -> VerifiedAnswer {
    let keys = try await store.read { [appID = identity.appID] records in
      try records.credentials.keys(of: username, appID: appID)
    }
    let hash = try SHA256.hash(request.challenge.bytes)
    let issued = IssuedRequest(
      operation: .authentication, username: username, challengeHash: hash, appID: identity.appID,
      serverData: request.header.serverData ?? "", policy: request.policy, transaction: nil, device: Device(),
      expiresAt: now + IssuedRequest.lifetime)
    let verifier = Verifier(identity: identity, models: environment.models, now: now)
    guard case .accepted(let signatures) = verifier.verify(response, issued: issued, keys: keys) else {
      throw Unexpected()
    }
    return VerifiedAnswer(
      username: username, challengeHash: hash, expiresAt: issued.expiresAt, signatures: signatures,
      confirmedTexts: [], approvalID: nil, now: now)
  }
}
