import UAFCrypto
import UAFMessages

@testable import UAFService

extension VerifiedResponse {
  /// Registers an account at a server, and makes the first response of its authenticator.
  static func first(of username: String, at server: TestServer) async throws -> VerifiedResponse {
    let authenticator = try await server.registered(username)
    let request = try await server.authenticationRequest(username)
    guard case .authentication(let response) = try authenticator.authenticate(request, counter: 1) else {
      throw TestServer.Unexpected()
    }
    return try await made(of: response, to: request, by: username, at: server)
  }

  /// What the store has to keep of a valid response.
  static func made(
    of response: AuthenticationResponse, to request: AuthenticationRequest, by username: String, at server: TestServer
  ) async throws -> VerifiedResponse {
    let appID = server.identity.appID
    let keys = try await server.store.read { try $0.credentials.keys(of: username, appID: appID) }
    let hash = try SHA256.hash(request.challenge.bytes)
    let issued = IssuedRequest(
      operation: .authentication, username: username, challengeHash: hash, appID: appID,
      serverData: request.header.serverData ?? "", policy: request.policy, transaction: nil, device: Device(),
      expiresAt: server.now + IssuedRequest.lifetime)
    let verifier = Verifier(identity: server.identity, models: server.environment.models, now: server.now)
    let signatures = try verifier.verify(response, issued: issued, keys: keys)
    guard case .marked(let challenge) = PurposedChallenge.read(request.challenge) else { throw TestServer.Unexpected() }
    return VerifiedResponse(
      username: username, challengeHash: try SHA256.hash(challenge.unique), expiresAt: issued.expiresAt,
      signatures: signatures,
      confirmedTexts: [], approvalID: nil, now: server.now)
  }
}

extension ServerStore {
  /// Why a verified response is not stored; nil if it is.
  func refusal(of answer: VerifiedResponse) async throws -> ServiceRefusal? {
    do {
      try await store(answer)
      return nil
    } catch let refusal as ServiceRefusal {
      return refusal
    }
  }
}
