import Logging
import NIOCore
import NIOHTTP1
import UAFAdministration
import UAFCrypto
import UAFMessages
import UAFService
import WebMessages

/// Answers the requests of the API: finds the caller, finds the route, and turns errors into problems.
struct APIResponder: Sendable {
  /// The most requests with one token in a minute, on average; twice as many in a burst.
  static let standardRate: Int64 = 600
  /// The most wrong tokens from one address in a minute, on average; twice as many in a burst.
  static let wrongRate: Int64 = 10

  let environment: AdministrationEnvironment
  /// Counts the requests to the API and to SCIM together.
  let tokens: BearerTokens
  let logger: Logger
  private let routes: RouteTable<APIRoute>

  init(
    _ environment: AdministrationEnvironment, routes: [APIRoute] = APIRoutes.all,
    proxies: TrustedProxies = TrustedProxies(), rate: Int64 = standardRate, logger: Logger
  ) {
    self.environment = environment
    self.routes = RouteTable(routes.map { .init($0.method, APIRoute.prefix + $0.path, $0) })
    tokens = BearerTokens(environment, proxies: proxies, rate: rate, wrongRate: Self.wrongRate)
    self.logger = logger
  }

  /// Whether a path belongs to the API.
  static func isAPI(_ path: String) -> Bool { path == "/api" || path.hasPrefix("/api/") }

  /// Answers a request whose token proves who the caller is.
  @Sendable func response(to request: WebRequest) async -> WebResponse {
    await response(to: request) {
      let caller = try await tokens.caller(of: request)
      guard caller.role != .provisioning else {
        throw Problem(
          .forbidden, "not-allowed", "a token of the role provisioning is accepted only below \(SCIMResponder.prefix)")
      }
      return caller
    }
  }

  /// Answers a request whose caller the server knows without a token.
  func response(to request: WebRequest, of caller: Caller) async -> WebResponse {
    await response(to: request) { caller }
  }

  private func response(to request: WebRequest, _ caller: () async throws -> Caller) async -> WebResponse {
    do {
      guard !RequestBody.announcesTooMuch(request.headers), request.body.readableBytes <= RequestBody.maximum else {
        throw Problem(.payloadTooLarge, "too-large", "the body may have at most \(RequestBody.maximum) bytes")
      }
      return try await routed(request, of: try await caller())
    } catch let problem as Problem {
      return problem.webResponse(Self.headers(problem), isLast: problem.status == .payloadTooLarge)
    } catch let refusal as AdministrationRefusal {
      return Problem(refusal).webResponse()
    } catch let failure as any StoreFailure {
      logger.error("failed", metadata: ["by": "api", "error": "\(failure.logName)"])
      return Problem(
        .serviceUnavailable, "store-away",
        "the store cannot be used; it is unknown whether the request was done"
      )
      .webResponse([("Retry-After", "5")])
    } catch {
      logger.error("failed", metadata: ["by": "api", "error": "\(type(of: error))"])
      return Problem(.internalServerError, "failed", "the server failed; its log has details").webResponse()
    }
  }

  /// The headers that HTTP requires with the status of a problem.
  private static func headers(_ problem: Problem) -> [(name: StaticString, value: String)] {
    switch problem.status {
    case .unauthorized: [("WWW-Authenticate", "Bearer")]
    case .tooManyRequests: [("Retry-After", "60")]
    case .methodNotAllowed: [("Allow", problem.allowed.map(\.rawValue).joined(separator: ", "))]
    default: []
    }
  }

  // MARK: The request

  /// Finds the route of a request, and performs it.
  ///
  /// - Throws: ``Problem``; ``AdministrationRefusal``; ``StoreFailure``.
  func routed(_ request: WebRequest, of caller: Caller) async throws -> WebResponse {
    if request.path == APIRoute.prefix + APIDescription.path {
      guard request.method == .GET else { throw Self.notAllowed([.GET]) }
      return APIResponse.ok(APIDescription.document(of: routes.routes.map(\.target), version: ServerVersion.current))
        .webResponse()
    }
    let route: APIRoute
    var path: [String: String] = [:]
    switch routes.match(request.method, request.path) {
    case .nothing: throw Self.nothing
    case .otherMethods(let methods): throw Self.notAllowed(methods)
    case .route(let found, let variables):
      route = found
      for (name, segment) in variables {
        guard let text = QueryText.decoded(segment) else { throw Self.nothing }
        path[name] = text
      }
    }
    let query = try QueryText(request.query, names: route.query.map(\.name))
    let call = APICall(
      caller: caller, environment: environment, path: path, query: query, body: try body(of: request, route))
    return try await done(request, route, call)
  }

  private static let nothing = Problem(.notFound, "no-path", "the API has no such path: see /api/v1/openapi.json")

  private static func notAllowed(_ methods: [HTTPMethod]) -> Problem {
    var problem = Problem(.methodNotAllowed, "method", "the path does not have this method")
    problem.allowed = methods
    return problem
  }

  private func body(of request: WebRequest, _ route: APIRoute) throws(Problem) -> BodyMembers {
    guard let members = route.body else {
      guard request.body.readableBytes == 0 else {
        throw Problem(.badRequest, "malformed", "this path does not accept a body")
      }
      return BodyMembers()
    }
    // This also refuses requests of other websites that a browser sends without a CORS preflight.
    let type = request.header("Content-Type")?.split(separator: ";").first?.lowercased()
    guard type == "application/json" else {
      throw Problem(.unsupportedMediaType, "media-type", "the body must be application/json")
    }
    return try BodyMembers(Array(request.body.readableBytesView), names: members.map(\.name))
  }

  private func done(_ request: WebRequest, _ route: APIRoute, _ call: APICall) async throws -> WebResponse {
    guard route.isRepeatable, let key = request.header(IdempotencyKey.header) else {
      return try await route.handle(call).webResponse()
    }
    let keys = IdempotencyKey(environment)
    let asked = Array("\(request.method.rawValue) \(request.path)\0\(request.query ?? "")\0".utf8)
    let noted: RepeatableRequest
    switch try await keys.begin(key, of: call.caller, request: asked + Array(request.body.readableBytesView)) {
    case .repeated(let response): return response.webResponse(isRepeated: true)
    case .first(let request): noted = request
    }
    do {
      let response = try await route.handle(call)
      try await keys.end(noted, response)
      return response.webResponse()
    } catch let error where error is AdministrationRefusal || error is Problem {
      try await keys.forget(noted)
      throw error
    }
  }
}

/// Makes sure that a request that is sent twice with the same idempotency key is performed once.
///
/// The request is recorded before it is performed, and its answer afterwards, without the codes and tokens in it. So a client
/// that has lost the answer to a request for a code gets the rest of the answer. It can then ask for a new code, which closes
/// the first.
struct IdempotencyKey {
  static let header = "Idempotency-Key"
  /// How long a key is remembered, in seconds.
  static let lifetime: Int64 = 86_400
  /// The longest key, in characters.
  private static let maximum = 255

  /// What to do with a request.
  enum Turn: Equatable {
    /// It is new, and must be performed now.
    case first(RepeatableRequest)
    /// It was performed before, with this answer.
    case repeated(APIResponse)
  }

  private let environment: AdministrationEnvironment
  private let now: Int64

  init(_ environment: AdministrationEnvironment) {
    self.environment = environment
    now = environment.now()
  }

  /// Records a request.
  ///
  /// - Parameter request: the bytes of everything in the request that decides what it does.
  /// - Throws: ``Problem`` if the key is malformed, was used for a different request, or belongs to a request that is still
  ///   running or never ended; ``StoreFailure``.
  func begin(_ key: String, of caller: Caller, request: [UInt8]) async throws -> Turn {
    guard (1...Self.maximum).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Problem(
        .badRequest, "invalid", "must be 1 to \(Self.maximum) printable ASCII characters without white space",
        field: Self.header)
    }
    let noted = RepeatableRequest(
      caller: caller.actor.text, key: try SHA256.hash(Array(key.utf8)), digest: try SHA256.hash(request),
      expiresAt: now + Self.lifetime)
    let known = try await environment.writeCallerRecords { [now] in
      try $0.repeatableRequests.begin(noted, now: now)
    }
    guard let earlier = known else { return .first(noted) }
    guard earlier.digest == noted.digest else {
      throw Problem(
        .unprocessableEntity, "key-of-other-request", "a different request was sent with this key", field: Self.header)
    }
    guard let response = earlier.answer.flatMap(APIResponse.init(kept:)) else {
      throw Problem(
        .conflict, "under-way",
        "the request with this key is still running, or its outcome is unknown: look at the audit",
        field: Self.header)
    }
    return .repeated(response)
  }

  /// Stores the answer to a request.
  func end(_ request: RepeatableRequest, _ response: APIResponse) async throws {
    var done = request
    done.answer = response.kept
    try await environment.writeCallerRecords { [done] in try $0.repeatableRequests.finish(done) }
  }

  /// Forgets a request that was refused and has changed nothing.
  func forget(_ request: RepeatableRequest) async throws {
    try await environment.writeCallerRecords { try $0.repeatableRequests.forget(request) }
  }
}
