import Logging
import NIOCore
import NIOHTTP1
import UAFConsole
import UAFMessages
import UAFService
import WebMessages

/// The routes of the server's HTTP interface for clients.
struct UAFRoutes: Sendable {
  let environment: ServiceEnvironment
  let admission: Admission
  let proxies: TrustedProxies
  let watch: StoreWatch
  private let metrics: ServerMetrics
  private let log: RequestLog
  private let refusals: AnswerRefusals
  private let joins: JoinRoutes
  let passkeys: PasskeyRoutes

  init(
    environment: ServiceEnvironment, logger: Logger, admission: Admission = Admission(),
    proxies: TrustedProxies = TrustedProxies(), watch: StoreWatch? = nil, metrics: ServerMetrics = ServerMetrics(),
    refusals: RefusalCount = RefusalCount()
  ) {
    self.environment = environment
    self.admission = admission
    self.proxies = proxies
    self.metrics = metrics
    self.refusals = AnswerRefusals(environment: environment, admission: admission, count: refusals)
    self.watch = watch ?? StoreWatch(environment.store, logger: logger, now: environment.now)
    log = RequestLog(
      logger: logger, metrics: metrics.requests, refusals: self.refusals, watch: self.watch, now: environment.now)
    joins = JoinRoutes(environment: environment, admission: admission, log: log)
    passkeys = PasskeyRoutes(
      environment: environment, admission: admission, refusals: self.refusals, log: log)
  }

  var health: HealthRoutes {
    HealthRoutes(
      watch: watch, policies: environment.policies, standing: environment.auditStanding, now: environment.now)
  }

  private typealias Handler = @Sendable (UAFRoutes, WebRequest) async throws -> WebResponse

  private static let table = RouteTable<Handler>([
    .init(.POST, "/uaf/get", timed(.get) { try await $0.get($1, from: $0.client(of: $1)) }),
    .init(.POST, "/uaf/respond", timed(.respond) { try await $0.respond($1, from: $0.client(of: $1)) }),
    .init(.POST, "/uaf/account", timed(.account) { try await $0.accountState($1, from: $0.client(of: $1)) }),
    .init(
      .POST, "/uaf/join", timed(.join) { try await $0.joins.join($1, by: $0.machine($1), from: $0.client(of: $1)) }),
    .init(
      .POST, "/uaf/leave",
      timed(.leave) { try await $0.joins.leave($1, by: $0.machine($1), from: $0.client(of: $1)) }),
    .init(
      .POST, "/uaf/machine",
      timed(.machine) { try await $0.joins.checkIn($1, by: $0.machine($1), from: $0.client(of: $1)) }),
    .init(
      .POST, "/attestation/options",
      timed(.passkeyOptions) { try await $0.passkeys.registrationOptions($1, from: $0.client(of: $1)) }),
    .init(
      .POST, "/attestation/result",
      timed(.passkeyResult) { try await $0.passkeys.registrationResult($1, from: $0.client(of: $1)) }),
    .init(
      .POST, "/assertion/options",
      timed(.passkeyOptions) { try await $0.passkeys.authenticationOptions($1, from: $0.client(of: $1)) }),
    .init(
      .POST, "/assertion/result",
      timed(.passkeyResult) { try await $0.passkeys.authenticationResult($1, from: $0.client(of: $1)) }),
    .init(.GET, PasskeyPage.path) { _, request in PasskeyPage.page(request) },
    .init(.GET, PasskeyPage.scriptPath) { _, _ in PasskeyPage.script() },
    .init(.GET, PasskeyPage.stylePath) { _, _ in PasskeyPage.style() },
    .init(.GET, "/uaf/facets") { routes, _ in try routes.facets() },
    .init(.GET, "/uaf/verdict-key") { routes, _ in routes.verdictKey() },
    .init(.GET, "/livez") { routes, _ in routes.health.isAlive },
    .init(.GET, "/readyz") { routes, _ in routes.health.isReady },
  ])

  /// Measures how long a route takes.
  private static func timed(_ route: UAFRoute, _ handler: @escaping Handler) -> Handler {
    { routes, request in
      let start = routes.metrics.clock()
      defer { routes.metrics.requests.count(routes.metrics.clock() - start, route) }
      return try await handler(routes, request)
    }
  }

  /// Answers a request to one of the routes, and refuses any other.
  @Sendable func response(to request: WebRequest) async -> WebResponse {
    // HEAD is handled like GET; the body of the answer is not sent.
    guard
      case .route(let handler, _) = Self.table.match(request.method == .HEAD ? .GET : request.method, request.path)
    else { return WebResponse(status: .notFound) }
    do {
      return try await handler(self, request)
    } catch let refusal as WebRefusal {
      return refusal.response
    } catch {
      return WebResponse(status: .internalServerError)
    }
  }

  private func client(of request: WebRequest) -> SocketAddress? {
    proxies.client(of: request.headers, from: request.peer)
  }

  private func get(_ request: WebRequest, from address: SocketAddress?) async throws -> WebResponse {
    try RequestBody.requireShort(request)
    let now = environment.now()
    guard let standing = admission.admits(machine(request), from: address, now: now) else {
      throw log.limited(.address, .get, nil, from: address)
    }
    let mediaType = try RequestBody.mediaType(of: request)
    let bytes = try RequestBody.bytes(of: request)
    guard let asked = (try? GetUAFRequest(parsing: bytes)).map({ RequestService.Asked($0) }) else {
      log.refused(.malformedRequest, .get, nil, of: nil, from: address)
      return Self.response(ReturnUAFRequest(statusCode: ServiceRefusal.malformedRequest.statusCode), mediaType)
    }
    let account = asked.username
    let limit = admission.limit(of: Self.claim(asked), for: account, as: standing, from: address, now: now)
    if let limit { throw log.limited(limit, .get, asked.operation, from: address, for: account) }
    do {
      switch try await RequestService(environment: environment)
        .request(asked, from: AnswerRefusals.text(address))
      {
      case .issued(let answer):
        log.issued(asked)
        return Self.response(answer, mediaType)
      case .denied(let username):
        log.denied(username)
        return Self.response(ReturnUAFRequest(statusCode: .ok), mediaType)
      case .refused(let refusal):
        log.refused(
          refusal, .get, asked.operation, of: account, from: address, isCounted: !Self.isQuestionOfDoctor(bytes))
        return Self.response(ReturnUAFRequest(statusCode: refusal.statusCode), mediaType)
      }
    } catch let error as any StoreFailure where error.isTemporary {
      throw log.away(error, .get, asked.operation)
    } catch {
      log.failed(error, .get, asked.operation)
      return Self.response(ReturnUAFRequest(statusCode: .internalServerError), mediaType)
    }
  }

  /// Whether a body is the one that `uafctl doctor` sends to check that a UAF server answers at its URL.
  ///
  /// It contains no names, so the audit need not record it. Apart from that, it is answered, logged and limited like any other.
  private static func isQuestionOfDoctor(_ body: [UInt8]) -> Bool { body == Array("{}".utf8) }

  private func respond(_ request: WebRequest, from address: SocketAddress?) async throws -> WebResponse {
    let mediaType = try RequestBody.mediaType(of: request)
    let (machine, bytes) = (machine(request), try RequestBody.bytes(of: request))
    let message =
      switch try await outcome(of: bytes, from: machine, at: address) {
      case .accepted(let token, let machineSecret, _, _, let forgotten):
        ServerResponse(
          statusCode: .ok, additionalTokens: [token], forgottenKeyIDs: forgotten, machineSecret: machineSecret,
          machineNews: environment.machinePolicies.news)
      case .refused(let refusal, let seen):
        ServerResponse(statusCode: refusal.statusCode, seenCounter: seen)
      }
    return Self.response(message, mediaType)
  }

  /// Processes a client's answer, counts and logs it, and returns the outcome.
  ///
  /// - Throws: ``WebRefusal`` if a limit stops it, or if the store is down.
  private func outcome(
    of body: [UInt8], from machine: KnownMachine?, at address: SocketAddress?
  ) async throws -> ResponseOutcome {
    let service = ResponseService(environment: environment)
    var operation: UAFOperation?
    do {
      let answer: ReceivedResponse
      do {
        guard let sent = try? SendUAFResponse(parsing: body) else { throw ServiceRefusal.malformedRequest }
        answer = try service.read(sent)
      } catch let refusal as ServiceRefusal {
        try await countWrong(machine, address, nil)
        log.refused(refusal, .respond, nil, of: nil, from: address, isCounted: !Self.isQuestionOfDoctor(body))
        return .refused(refusal)
      }
      operation = answer.operation
      if !admission.admits(answerTo: answer.challengeHash, now: environment.now()) {
        try await countWrong(machine, address, answer)
      }
      let outcome = try await service.respond(answer, from: machine, at: AnswerRefusals.text(address))
      switch outcome {
      case .accepted(_, _, let keys, let ignoresDeviceName, let forgotten):
        log.accepted(answer.operation, of: answer.username, keys)
        log.forgotten(forgotten, of: answer.username, ignoresDeviceName: ignoresDeviceName)
      case .refused(let refusal, _):
        let event = refusals.event(answer, refusal, machine, address)
        try await countWrong(machine, address, answer, event)
        log.refused(
          refusal, .respond, answer.operation, of: answer.username, from: address, isCounted: event == nil)
      }
      return outcome
    } catch let error as WebRefusal {
      throw error
    } catch let error as any StoreFailure where error.isTemporary {
      throw log.away(error, .respond, operation)
    } catch {
      log.failed(error, .respond, operation)
      return .refused(.internalError)
    }
  }

  /// Tells a known machine the state of its account.
  ///
  /// Everybody else gets the same response for every name. That includes a joined machine, because it may name any account. The
  /// proof contains the whole request, so no body is read.
  private func accountState(_ request: WebRequest, from address: SocketAddress?) async throws -> WebResponse {
    try RequestBody.requireShort(request)
    let now = environment.now()
    let machine = machine(request)
    guard let standing = admission.admits(machine, from: address, now: now) else {
      throw log.limited(.address, .account, nil, from: address)
    }
    guard let machine, machine.claim.asksForState, !machine.isJoined else {
      log.refused(.wrongProof, .account, nil, of: nil, from: address)
      return WebResponse(status: .forbidden)
    }
    let account = machine.claim.username
    let limit = admission.limit(of: machine.claim, for: account, as: standing, from: address, now: now)
    if let limit { throw log.limited(limit, .account, nil, from: address, for: account) }
    do {
      let token = try await AccountStateService(environment: environment).statement(for: machine)
      log.told(account)
      return WebResponse(
        status: .ok, headers: [("Content-Type", AccountStatement.contentType), ("Cache-Control", "no-store")],
        body: Array(token.utf8))
    } catch let error as any StoreFailure where error.isTemporary {
      throw log.away(error, .account, nil)
    } catch {
      log.failed(error, .account, nil)
      return WebResponse(status: .internalServerError)
    }
  }

  /// The header in which a machine proves that this server knows it (docs/protocol.md).
  static let machineProof = "UAF-Machine"

  /// The machine that a request proves to come from; nil if there is no valid proof.
  private func machine(_ request: WebRequest) -> KnownMachine? {
    environment.machine(proving: request.header(Self.machineProof))
  }

  /// Counts a wrong answer: one that matches no request, was sent before, or is refused.
  ///
  /// - Parameters:
  ///   - answer: the answer; nil if it matches no request.
  ///   - event: the row of the audit that is stored with the count.
  private func countWrong(
    _ machine: KnownMachine?, _ address: SocketAddress?, _ answer: ReceivedResponse?, _ event: AuditEntry? = nil
  ) async throws {
    let account = answer?.username
    if let limit = try await refusals.limit(machine, address, account: account, event) {
      throw log.limited(limit, .respond, answer?.operation, from: address, for: account)
    }
  }

  private func facets() throws -> WebResponse {
    let list = try environment.identity().trustedFacets
    return WebResponse(
      status: .ok, headers: [("Content-Type", TrustedFacetList.contentType), ("Cache-Control", "max-age=300")],
      body: list.jsonBytes)
  }

  /// The public keys of verdicts, the key in use first.
  ///
  /// They are only for comparison with keys from a trusted source: an attacker who answers at this address could send other
  /// keys.
  private func verdictKey() -> WebResponse {
    WebResponse(
      status: .ok, headers: [("Content-Type", "application/x-pem-file"), ("Cache-Control", "no-store")],
      body: environment.keys.announcedPEM)
  }

  private static func response(_ body: some JSONRepresentable, _ mediaType: UAFMediaType) -> WebResponse {
    WebResponse(
      status: .ok, headers: [("Content-Type", mediaType.header), ("Cache-Control", "no-store")], body: body.jsonBytes)
  }

  /// The claim that a proof must contain to be valid for a request.
  private static func claim(_ asked: RequestService.Asked) -> MachineClaim? {
    guard let operation = asked.operation, let account = asked.username else { return nil }
    return MachineClaim(operation: operation, isAnswer: false, username: account)
  }
}

/// Records the outcomes of requests in the log and in the metrics.
struct RequestLog: Sendable {
  let logger: Logger
  let metrics: RequestMetrics
  /// The count of refusals that get no row of their own in the audit.
  let refusals: AnswerRefusals
  let watch: StoreWatch
  /// Seconds since 1970.
  let now: @Sendable () -> Int64
  /// Limits how often refusals by a limit are logged, so that strangers cannot fill the log.
  private let notices = RateLimiter(.init(perMinute: 1))

  init(
    logger: Logger, metrics: RequestMetrics, refusals: AnswerRefusals, watch: StoreWatch,
    now: @escaping @Sendable () -> Int64
  ) {
    self.logger = logger
    self.metrics = metrics
    self.refusals = refusals
    self.watch = watch
    self.now = now
  }

  /// A request was issued.
  func issued(_ asked: RequestService.Asked) {
    metrics.count(.issued, .get, asked.operation)
    logger.info(
      "issued",
      metadata: ["op": .string(asked.operation?.rawValue ?? "-"), "user": .string(asked.username ?? "-")])
  }

  /// Options for a passkey were issued.
  func issued(_ operation: UAFOperation, to username: String?, _ route: UAFRoute) {
    metrics.count(.issued, route, operation)
    logger.info(
      "issued", metadata: ["op": .string(operation.rawValue), "user": .string(username ?? "-"), "for": "passkey"])
  }

  /// An answer of a passkey was right, and is stored.
  func accepted(_ operation: UAFOperation, _ passkey: AcceptedPasskey) {
    metrics.count(.accepted, .passkeyResult, operation)
    logger.info(
      "accepted",
      metadata: [
        "op": .string(operation.rawValue), "user": .string(passkey.username), "for": "passkey",
        "key": .string(String(Base64URL.encode(passkey.id).prefix(8))),
      ])
  }

  /// Nothing was issued: the person had denied the text.
  func denied(_ username: String) {
    metrics.count(.denied, .get, .authentication)
    logger.notice("denied", metadata: ["op": "Auth", "user": "\(username)"])
  }

  /// A known machine was told the state of its account.
  func told(_ username: String) {
    metrics.count(.accepted, .account, nil)
    logger.info("account-state", metadata: ["user": "\(username)"])
  }

  /// A machine has joined, for the first time or again.
  func joined(_ machine: JoinedMachine) {
    metrics.count(.accepted, .join, nil)
    logger.notice("joined", metadata: Self.metadata(machine))
  }

  /// A machine that had joined has left.
  func left(_ machine: JoinedMachine) {
    metrics.count(.accepted, .leave, nil)
    logger.notice("left", metadata: Self.metadata(machine))
  }

  /// A joined machine has reported its state.
  func checkedIn(_ machine: JoinedMachine) {
    metrics.count(.accepted, .machine, nil)
    logger.info("checked-in", metadata: Self.metadata(machine))
  }

  private static func metadata(_ machine: JoinedMachine) -> Logger.Metadata {
    ["device": "\(machine.id)", "group": "\(machine.group)", "code": "\(machine.codeNumber)"]
  }

  /// An answer was right, and is stored.
  func accepted(_ operation: UAFOperation, of username: String, _ keys: [AcceptedKey]) {
    metrics.count(.accepted, .respond, operation)
    logger.info(
      "accepted",
      metadata: [
        "op": .string(operation.rawValue), "user": .string(username),
        "aaid": .string(keys.map(\.aaid.text).joined(separator: ",")),
        "key": .string(Self.beginnings(of: keys.map(\.keyID))),
      ])
  }

  /// A registration has replaced keys that the machine had lost, or the machine has kept an earlier name.
  func forgotten(_ keyIDs: [KeyID], of username: String, ignoresDeviceName: Bool) {
    if ignoresDeviceName { logger.notice("device-name-ignored", metadata: ["user": "\(username)"]) }
    guard !keyIDs.isEmpty else { return }
    logger.notice("lost-keys-forgotten", metadata: ["user": "\(username)", "key": "\(Self.beginnings(of: keyIDs))"])
  }

  /// A request or an answer was refused.
  ///
  /// - Parameter isCounted: whether the refusal is counted; false if it has a row of its own in the audit.
  func refused(
    _ refusal: ServiceRefusal, _ route: UAFRoute, _ operation: UAFOperation?, of username: String?,
    from address: SocketAddress?, isCounted: Bool = true
  ) {
    if isCounted { refusals.count(refusal.rawValue, address) }
    metrics.count(.refused, route, operation)
    metrics.count(refusal, route)
    logger.notice(
      "refused",
      metadata: [
        "route": "\(route.rawValue)", "reason": "\(refusal.rawValue)", "status": "\(refusal.statusCode.rawValue)",
        "user": "\(username ?? "-")",
      ])
  }

  /// A limit has stopped a request or a wrong answer.
  ///
  /// - Parameter account: the account whose limit was reached; nil if it was a different limit.
  /// - Returns: HTTP status 429, because UAF has no status for "try again later".
  func limited(
    _ limit: Limit, _ route: UAFRoute, _ operation: UAFOperation?, from address: SocketAddress?,
    for account: String? = nil
  ) -> WebRefusal {
    refusals.count("limited", address)
    metrics.count(.limited, route, operation)
    metrics.count(limit)
    let name = (limit == .account ? account : address.flatMap(Admission.name)) ?? "-"
    if notices.admits("\(limit.rawValue) \(name)", now: now()) {
      logger.notice("limited", metadata: ["by": "\(limit.rawValue)", "name": "\(name)"])
    }
    return WebRefusal(WebResponse(status: .tooManyRequests, headers: [("Retry-After", "60")]))
  }

  /// The store is down.
  ///
  /// - Returns: HTTP status 503, because UAF has no status for "try again later".
  func away(_ error: any StoreFailure, _ route: UAFRoute, _ operation: UAFOperation?) -> WebRefusal {
    failed(error, route, operation)
    return WebRefusal(WebResponse(status: .serviceUnavailable, headers: [("Retry-After", "5")]))
  }

  /// The store or the server itself has failed.
  ///
  /// A failure of the store is logged once, however many requests it affects.
  func failed(_ error: any Error, _ route: UAFRoute, _ operation: UAFOperation?) {
    let failure = error as? any StoreFailure
    metrics.count(failure?.isTemporary == true ? .away : .failed, route, operation)
    if let failure { return watch.failed(failure) }
    let what = (error as? ServerError)?.description ?? "\(type(of: error))"
    logger.error("failed", metadata: ["route": "\(route.rawValue)", "error": "\(what)"])
  }

  /// The first eight characters of each KeyID, which suffice to distinguish an account's keys in the log.
  private static func beginnings(of keyIDs: [KeyID]) -> String {
    keyIDs.map { String($0.text.prefix(8)) }.joined(separator: ",")
  }
}

/// The content types of the transport (UAF client API and transport 1.1, section 3).
enum UAFMediaType: String, CaseIterable {
  case uaf = "application/fido+uaf"
  case json = "application/json"

  /// Reads a Content-Type header; parameters such as the charset are allowed and ignored.
  ///
  /// - Returns: nil for any other type, or if there is no header.
  init?(header: String?) {
    guard let header else { return nil }
    var type = header.utf8.prefix { $0 != UInt8(ascii: ";") }
    while let last = type.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { type.removeLast() }
    let found = Self.allCases.first { $0.rawValue.utf8.elementsEqual(type, by: { $0 == Self.lowercased($1) }) }
    guard let found else { return nil }
    self = found
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// The Content-Type header of an answer with this type.
  var header: String { "\(rawValue); charset=utf-8" }
}

/// Reads the body of a request, and refuses a body that is too long or has a wrong type.
enum RequestBody {
  /// The longest body in bytes, unless a route accepts only a shorter one.
  static let maximum = 65_536

  /// The connection is closed after this refusal, so that the rest of the body need not be read.
  private static let tooLarge = WebRefusal(WebResponse(status: .payloadTooLarge, isLast: true))

  /// The type of a request's body.
  ///
  /// A CORS preflight of a browser is refused, as the transport specification requires.
  static func mediaType(of request: WebRequest) throws -> UAFMediaType {
    guard !request.headers.contains(name: "Access-Control-Request-Method") else {
      throw WebRefusal(WebResponse(status: .forbidden))
    }
    guard let mediaType = UAFMediaType(header: request.header("Content-Type")) else {
      throw WebRefusal(WebResponse(status: .unsupportedMediaType))
    }
    return mediaType
  }

  /// Refuses a body whose announced length is too large, before any of it has arrived.
  static func requireShort(_ request: WebRequest, limit: Int = maximum) throws {
    guard !announcesTooMuch(request.headers, limit: limit) else { throw tooLarge }
  }

  /// The bytes of a body.
  static func bytes(of request: WebRequest, limit: Int = maximum) throws -> [UInt8] {
    try requireShort(request, limit: limit)
    guard request.body.readableBytes <= limit else { throw tooLarge }
    return Array(request.body.readableBytesView)
  }

  /// Whether the announced length is above the limit, or is no valid length.
  static func announcesTooMuch(_ headers: HTTPHeaders, limit: Int = maximum) -> Bool {
    guard let length = headers.value(of: "Content-Length") else { return false }
    return Int(length).map { !(0...limit).contains($0) } ?? true
  }
}
