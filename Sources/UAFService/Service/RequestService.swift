import UAFCrypto
import UAFMessages

/// Answers `/uaf/get`: decides who may ask for what, and issues requests.
package struct RequestService: Sendable {
  package let environment: ServiceEnvironment

  package init(environment: ServiceEnvironment) {
    self.environment = environment
  }

  /// Issues a request.
  ///
  /// - Throws: only if something failed; a refusal is returned.
  package func request(_ body: GetUAFRequest) async throws -> RequestOutcome {
    guard let operation = body.op, let text = body.context,
      let context = try? RequestContext(parsing: text, limits: JSONLimits(maximumBytes: 65_536))
    else { return .refused(.malformedRequest) }
    guard Username.isValid(context.username) else { return .refused(.invalidUsername) }
    let issuer = RequestIssuer(
      environment: environment, identity: try environment.identity(), context: context, now: environment.now())
    switch operation {
    case .authentication:
      return try await AuthenticationRequestSession(issuer: issuer)
        .request(proofOperations: ProofPurpose.operations(in: text, context))
    case .registration:
      return try await environment.store.write { try RequestSession(issuer: issuer, records: $0).registration() }
    case .deregistration:
      return try await environment.store.write { try RequestSession(issuer: issuer, records: $0).deregistration() }
    }
  }
}
