import UAFMessages

/// What every `/uaf/respond` needs, whichever operation it ends.
struct ResponseSession: Sendable {
  let environment: ServiceEnvironment
  let identity: ServerIdentity
  let answer: ResponseService.Answer
  /// Seconds since 1970.
  let now: Int64

  var username: String { answer.serverData.username }

  var verifier: Verifier {
    Verifier(
      identity: identity, models: environment.models, now: now, verificationMethods: environment.verificationMethods)
  }

  func refused(_ refusal: ServiceRefusal, seen: SeenCounter? = nil) -> ResponseOutcome {
    .refused(refusal, username: username, seen: seen)
  }

  /// The token that says what was accepted.
  ///
  /// It must not leave the server before what it says is stored.
  func token() throws -> Token {
    let data = answer.serverData
    let claims = VerdictClaims(
      issuer: identity.appID, subject: data.username, operation: data.operation,
      proofOperations: data.proofOperations, challengeHash: Base64URL.encode(answer.challengeHash), issuedAt: now,
      expiresAt: now + VerdictToken.lifetime, tokenID: Base64URL.encode(try environment.random(16)))
    return Token(type: Token.jwt, value: try VerdictToken(keys: environment.keys).sign(claims))
  }
}
