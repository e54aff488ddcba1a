import GRDB
import UAFCrypto
import UAFMessages

/// Answers `/uaf/respond`: verifies, and stores what was verified.
struct ResponseService: Sendable {
  let environment: ServiceEnvironment

  /// The most assertions of one answer that are looked at, far above what any policy asks for together.
  ///
  /// Each costs a signature's verification inside a transaction, and whoever knows a KeyID could send hundreds.
  static let maximumAssertions = 16

  /// Verifies an answer.
  ///
  /// - Throws: only what broke; a refusal is a value.
  func respond(_ body: SendUAFResponse) async throws -> ResponseOutcome {
    let response: UAFResponse
    do {
      response = try UAFResponse(parsing: body.uafResponse)
    } catch { return .refused(Refusal(error), username: nil) }
    guard Self.assertionCount(response) <= Self.maximumAssertions else {
      return .refused(.malformedMessage, username: nil)
    }
    var context: RequestContext?
    if let text = body.context {
      guard let parsed = try? RequestContext(parsing: text, limits: JSONLimits(maximumBytes: 65_536)) else {
        return .refused(.malformedRequest, username: nil)
      }
      context = parsed
    }
    guard let parameters = try? FinalChallengeParams(encoded: response.fcParams),
      let challenge = try? Base64URL.decode(parameters.challenge, maximumCount: 64)
    else { return .refused(.malformedFinalChallenge, username: nil) }
    let now = environment.now()
    // Forged session data ends here, before the store is asked.
    guard let text = response.header.serverData,
      let serverData = try ServerData(keys: environment.keys).open(text, challenge: challenge)
    else { return .refused(.invalidServerData, username: nil) }
    guard serverData.expiresAt > now else { return .refused(.expiredChallenge, username: nil) }
    let identity = try environment.identity()
    let challengeHash = try SHA256.hash(challenge)
    let claimedName = context?.username
    return try await environment.database.write { db in
      guard let open = try ChallengeStore(db: db).take(hash: challengeHash, serverData: text) else {
        return .refused(.unknownChallenge, username: claimedName)
      }
      let session = ResponseSession(
        environment: environment, identity: identity, db: db, issued: open.issued, code: open.code, now: now)
      return try session.respond(response, claimedName: claimedName)
    }
  }
  private static func assertionCount(_ response: UAFResponse) -> Int {
    switch response {
    case .registration(let response): response.assertions.count
    case .authentication(let response): response.assertions.count
    }
  }
}
