import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import UAFMessages
import UAFService

/// The server's HTTP interface.
struct UAFRoutes: Sendable {
  let environment: ServiceEnvironment
  let logger: Logger
  let admission: Admission
  /// Limits how often refusals by a limit are logged: strangers' requests must not push the logins out of the log.
  private let notices = RateLimiter(.init(perMinute: 1))

  init(environment: ServiceEnvironment, logger: Logger, admission: Admission = Admission()) {
    self.environment = environment
    self.logger = logger
    self.admission = admission
  }

  /// The longest request body in bytes.
  static let maximumBody = 65_536

  var router: Router<UAFRequestContext> {
    let router = Router(context: UAFRequestContext.self)
    router.post("/uaf/get") { request, context in
      try await get(request, from: context.remoteAddress)
    }
    router.post("/uaf/respond") { request, context in
      try await respond(request, from: context.remoteAddress)
    }
    router.get("/uaf/facets") { _, _ in try facets() }
    router.get("/uaf/verdict-key") { _, _ in verdictKey() }
    router.get("/health") { _, _ in await health() }
    return router
  }

  private func get(_ request: Request, from address: SocketAddress?) async throws -> Response {
    let now = environment.now()
    let isAdmitted = admission.admits(address, now: now)
    let mediaType = try Self.mediaType(of: request)
    let bytes = try await Self.body(of: request)
    let asked = (try? GetUAFRequest(parsing: bytes)).map { RequestService.Asked($0) }
    let account = asked?.username
    guard isAdmitted || account.map({ admission.isProven($0, at: address) }) == true else { throw tooMany(address) }
    guard let asked else {
      log(.malformedRequest, route: "get", username: nil)
      return Self.answer(ReturnUAFRequest(statusCode: ServiceRefusal.malformedRequest.statusCode), mediaType)
    }
    if let account, !admission.admits(account: account, from: address, now: now) { throw tooMany("account", account) }
    do {
      switch try await RequestService(environment: environment).request(asked) {
      case .issued(let answer):
        logger.info("issued", metadata: Self.fields(asked))
        return Self.answer(answer, mediaType)
      case .denied(let username):
        logger.notice("denied", metadata: ["op": "Auth", "user": "\(username)"])
        return Self.answer(ReturnUAFRequest(statusCode: .ok), mediaType)
      case .refused(let refusal):
        log(refusal, route: "get", username: account)
        return Self.answer(ReturnUAFRequest(statusCode: refusal.statusCode), mediaType)
      }
    } catch {
      log(error, route: "get")
      return Self.answer(ReturnUAFRequest(statusCode: .internalServerError), mediaType)
    }
  }

  private func respond(_ request: Request, from address: SocketAddress?) async throws -> Response {
    let mediaType = try Self.mediaType(of: request)
    let bytes = try await Self.body(of: request)
    let service = ResponseService(environment: environment)
    do {
      let answer: ResponseService.Answer
      switch try (try? SendUAFResponse(parsing: bytes)).map(service.read) ?? .failure(.malformedRequest) {
      case .failure(let refusal):
        try admitJunk(address)
        log(refusal, route: "respond", username: nil)
        return Self.refusal(refusal, mediaType)
      case .success(let read): answer = read
      }
      if !admission.admits(answerTo: answer.challengeHash, now: environment.now()) { try admitJunk(address) }
      switch try await service.respond(answer) {
      case .accepted(let token, let operation, let username, let keys, let ignoresDeviceName, let forgotten):
        admission.accepted(username, from: address)
        log(accepted: operation, of: username, keys)
        if ignoresDeviceName { logger.notice("device-name-ignored", metadata: ["user": "\(username)"]) }
        if !forgotten.isEmpty {
          logger.notice(
            "lost-keys-forgotten", metadata: ["user": "\(username)", "key": "\(Self.beginnings(of: forgotten))"])
        }
        return Self.answer(
          ServerResponse(statusCode: .ok, additionalTokens: [token], forgottenKeyIDs: forgotten), mediaType)
      case .refused(let refusal, let username, let seen):
        log(refusal, route: "respond", username: username)
        return Self.answer(ServerResponse(statusCode: refusal.statusCode, seenCounter: seen), mediaType)
      }
    } catch let error as HTTPError {
      throw error
    } catch {
      log(error, route: "respond")
      return Self.refusal(.internalError, mediaType)
    }
  }

  private func admitJunk(_ address: SocketAddress?) throws {
    guard admission.admits(junkFrom: address, now: environment.now()) else { throw tooMany(address) }
  }

  private func tooMany(_ address: SocketAddress?) -> HTTPError {
    tooMany("address", address.flatMap(Admission.name) ?? "-")
  }

  /// Status 429 of HTTP, since UAF has no such status: clients take it as "try again later".
  private func tooMany(_ what: String, _ name: String) -> HTTPError {
    if notices.admits("\(what) \(name)", now: environment.now()) {
      logger.notice("limited", metadata: ["by": "\(what)", "name": "\(name)"])
    }
    return HTTPError(.tooManyRequests, headers: [.retryAfter: "60"])
  }

  private func facets() throws -> Response {
    let list = try environment.identity().trustedFacets
    return Response(
      status: .ok, headers: [.contentType: TrustedFacetList.contentType, .cacheControl: "max-age=300"],
      body: .init(byteBuffer: ByteBuffer(bytes: list.jsonBytes)))
  }

  /// The verdict's public key, only to compare with one from another source: anybody who answers at this address could send one.
  private func verdictKey() -> Response {
    Response(
      status: .ok, headers: [.contentType: "application/x-pem-file", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(bytes: environment.keys.verdictPublicKeyPEM)))
  }

  private func health() async -> Response {
    let isHealthy = (try? await environment.store.check()) != nil
    return Response(
      status: isHealthy ? .ok : .serviceUnavailable,
      headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(string: isHealthy ? #"{"status":"ok"}"# : #"{"status":"unavailable"}"#)))
  }

  /// The type of a request's body.
  ///
  /// A browser's preflight from another origin is refused, as the transport asks.
  private static func mediaType(of request: Request) throws -> UAFMediaType {
    guard request.headers[.accessControlRequestMethod] == nil else { throw HTTPError(.forbidden) }
    guard let mediaType = UAFMediaType(header: request.headers[.contentType]) else {
      throw HTTPError(.unsupportedMediaType)
    }
    return mediaType
  }

  /// The body.
  ///
  /// If its announced length is too large, it is refused before any of it has come.
  private static func body(of request: Request) async throws -> [UInt8] {
    // Closes the connection, so that so much need not be read.
    let tooLarge = HTTPError(.contentTooLarge, headers: [.connection: "close"])
    guard !announcesTooMuch(request.headers) else { throw tooLarge }
    do {
      return [UInt8](buffer: try await request.body.collect(upTo: maximumBody))
    } catch is NIOTooManyBytesError {
      throw tooLarge
    }
  }

  /// Whether the announced length is more than the longest body, or no length at all.
  static func announcesTooMuch(_ headers: HTTPFields) -> Bool {
    guard let length = headers[.contentLength] else { return false }
    return Int(length).map { !(0...maximumBody).contains($0) } ?? true
  }

  private static func answer(_ body: some JSONRepresentable, _ mediaType: UAFMediaType) -> Response {
    Response(
      status: .ok, headers: [.contentType: mediaType.header, .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(bytes: body.jsonBytes)))
  }

  private static func refusal(_ refusal: ServiceRefusal, _ mediaType: UAFMediaType) -> Response {
    answer(ServerResponse(statusCode: refusal.statusCode), mediaType)
  }
}

extension UAFRoutes {
  private static func fields(_ asked: RequestService.Asked) -> Logger.Metadata {
    ["op": "\(asked.operation?.rawValue ?? "-")", "user": "\(asked.username ?? "-")"]
  }

  private func log(accepted operation: UAFOperation, of username: String, _ keys: [AcceptedKey]) {
    logger.info(
      "accepted",
      metadata: [
        "op": "\(operation.rawValue)", "user": "\(username)",
        "aaid": "\(keys.map(\.aaid.text).joined(separator: ","))", "key": "\(Self.beginnings(of: keys.map(\.keyID)))",
      ])
  }

  /// Eight characters of each KeyID: enough to tell an account's keys apart in the log.
  private static func beginnings(of keyIDs: [KeyID]) -> String {
    keyIDs.map { String($0.text.prefix(8)) }.joined(separator: ",")
  }

  private func log(_ refusal: ServiceRefusal, route: String, username: String?) {
    logger.notice(
      "refused",
      metadata: [
        "route": "\(route)", "reason": "\(refusal.rawValue)", "status": "\(refusal.statusCode.rawValue)",
        "user": "\(username ?? "-")",
      ])
  }

  private func log(_ error: any Error, route: String) {
    let what =
      switch error {
      case let error as any StoreFailure: error.logName
      case let error as ServerError: error.description
      default: "\(type(of: error))"
      }
    logger.error("failed", metadata: ["route": "\(route)", "error": "\(what)"])
  }
}
