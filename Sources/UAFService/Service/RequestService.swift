import UAFCrypto
import UAFMessages

/// Answers `/uaf/get`: decides who may ask for what, and issues requests.
package struct RequestService: Sendable {
  package let environment: ServiceEnvironment

  package init(environment: ServiceEnvironment) {
    self.environment = environment
  }

  /// What somebody asks for, read once.
  package struct Asked: Sendable {
    /// nil if the body names none.
    package let operation: UAFOperation?
    /// nil if the body has none that can be read.
    let context: RequestContext?
    /// The context as it was sent: the challenge is bound to it.
    let contextText: String

    /// The account that it is for; nil if the name cannot be that of an account.
    package var username: String? { context.flatMap { Username.isValid($0.username) ? $0.username : nil } }

    package init(_ body: GetUAFRequest) {
      operation = body.op
      contextText = body.context ?? ""
      context = body.context.flatMap { try? RequestContext(parsing: $0, limits: JSONLimits(maximumBytes: 65_536)) }
    }
  }

  /// Issues a request.
  ///
  /// - Parameter address: where it came from, for the audit; empty if that is not known.
  /// - Throws: only if something failed; a refusal is returned.
  package func request(_ asked: Asked, from address: String = "") async throws -> RequestOutcome {
    guard let operation = asked.operation, let context = asked.context else { return .refused(.malformedRequest) }
    guard asked.username != nil else { return .refused(.invalidUsername) }
    let issuer = RequestIssuer(
      environment: environment, identity: try environment.identity(), context: context,
      contextText: asked.contextText, now: environment.now(), address: address)
    switch operation {
    case .authentication:
      return try await AuthenticationRequestSession(issuer: issuer).request()
    case .registration:
      return try await environment.store.write { try RequestSession(issuer: issuer, records: $0).registration() }
    case .deregistration:
      return try await environment.store.write { try RequestSession(issuer: issuer, records: $0).deregistration() }
    }
  }
}
