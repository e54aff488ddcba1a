import UAFAdministration
import UAFCrypto
import UAFService

/// Sees to it that a request which is sent twice under one key is done once.
///
/// The request is noted before it is done, and its answer after it, without what is shown once. Whoever has lost the answer to a
/// request for a code or a token gets the rest of it, and asks for another code, which closes the first.
struct IdempotencyKey {
  static let header = "Idempotency-Key"
  /// How long a key is remembered, in seconds.
  static let lifetime: Int64 = 86_400
  /// The longest key.
  private static let maximum = 255

  /// What becomes of a request.
  enum Turn: Equatable {
    /// It is done now.
    case first(RepeatableRequest)
    /// It was done before, with this answer.
    case repeated(APIAnswer)
  }

  private let environment: AdministrationEnvironment
  private let now: Int64

  init(_ environment: AdministrationEnvironment) {
    self.environment = environment
    now = environment.now()
  }

  /// Notes a request.
  ///
  /// - Parameter request: the bytes of everything that the request asks for.
  /// - Throws: ``Problem`` for a key that cannot be used, for one of another request, and for one whose request is under way or
  ///   was never ended; ``StoreFailure``.
  func begin(_ key: String, of caller: Caller, request: [UInt8]) async throws -> Turn {
    guard (1...Self.maximum).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Problem(
        .badRequest, "invalid", "must be 1 to \(Self.maximum) printable ASCII characters without white space",
        field: Self.header)
    }
    let noted = RepeatableRequest(
      caller: caller.actor.text, key: try SHA256.hash(Array(key.utf8)), digest: try SHA256.hash(request),
      expiresAt: now + Self.lifetime)
    guard let earlier = try await environment.note({ [now] in try $0.repeatableRequests.begin(noted, now: now) }) else {
      return .first(noted)
    }
    guard earlier.digest == noted.digest else {
      throw Problem(
        .unprocessableEntity, "key-of-other-request", "another request was sent under this key", field: Self.header)
    }
    guard let answer = earlier.answer.flatMap(APIAnswer.init(kept:)) else {
      throw Problem(
        .conflict, "under-way",
        "the request under this key is under way, or its outcome is not known: look at the audit",
        field: Self.header)
    }
    return .repeated(answer)
  }

  /// Keeps the answer.
  func end(_ request: RepeatableRequest, _ answer: APIAnswer) async throws {
    var done = request
    done.answer = answer.kept
    try await environment.note { [done] in try $0.repeatableRequests.finish(done) }
  }

  /// Forgets a request that was refused: nothing was done.
  func forget(_ request: RepeatableRequest) async throws {
    try await environment.note { try $0.repeatableRequests.forget(request) }
  }
}
