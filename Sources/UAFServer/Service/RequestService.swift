import GRDB
import UAFCrypto
import UAFMessages

/// Answers `/uaf/get`: decides who may ask for what, and issues requests.
struct RequestService: Sendable {
  let environment: ServiceEnvironment

  /// Seconds a request can be answered.
  static let lifetime: Int64 = 120

  /// Issues a request.
  ///
  /// - Throws: only what broke; a refusal is a value.
  func request(_ body: GetUAFRequest) async throws -> RequestOutcome {
    guard let operation = body.op, let text = body.context,
      let context = try? RequestContext(parsing: text, limits: JSONLimits(maximumBytes: 65_536))
    else { return .refused(.malformedRequest) }
    guard Username.isValid(context.username) else { return .refused(.invalidUsername) }
    let identity = try environment.identity()
    let now = environment.now()
    let proofOperations = ProofPurpose.operations(in: text, context)
    return try await environment.database.write { db in
      let session = RequestSession(
        environment: environment, identity: identity, db: db, context: context, now: now)
      switch operation {
      case .registration: return try session.registration()
      case .authentication: return try session.authentication(proofOperations: proofOperations)
      case .deregistration: return try session.deregistration()
      }
    }
  }
}
