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
    let identity = try environment.identity()
    let now = environment.now()
    let proofOperations = ProofPurpose.operations(in: text, context)
    return try await environment.store.write { records in
      let session = RequestSession(
        environment: environment, identity: identity, records: records, context: context, now: now)
      switch operation {
      case .registration: return try session.registration()
      case .authentication: return try session.authentication(proofOperations: proofOperations)
      case .deregistration: return try session.deregistration()
      }
    }
  }
}
