import Logging
import NIOCore
import UAFMessages
import UAFService
import WebMessages

/// Says in the log and in the metrics what became of requests.
struct RequestLog: Sendable {
  let logger: Logger
  let metrics: RequestMetrics
  /// The refusals that the audit has no row for.
  let refusals: AnswerRefusals
  let watch: StoreWatch
  /// Limits how often refusals by a limit are logged: strangers' requests must not push the logins out of the log.
  private let notices = RateLimiter(.init(perMinute: 1))

  init(logger: Logger, metrics: RequestMetrics, refusals: AnswerRefusals, watch: StoreWatch) {
    self.logger = logger
    self.metrics = metrics
    self.refusals = refusals
    self.watch = watch
  }

  /// A request was issued.
  func issued(_ asked: RequestService.Asked) {
    metrics.count(.issued, .get, asked.operation)
    logger.info(
      "issued", metadata: ["op": "\(asked.operation?.rawValue ?? "-")", "user": "\(asked.username ?? "-")"])
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

  /// A machine that had joined has told how it is.
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
        "op": "\(operation.rawValue)", "user": "\(username)",
        "aaid": "\(keys.map(\.aaid.text).joined(separator: ","))", "key": "\(Self.beginnings(of: keys.map(\.keyID)))",
      ])
  }

  /// What a registration has found of the machine's earlier keys.
  func forgotten(_ keyIDs: [KeyID], of username: String, ignoresDeviceName: Bool) {
    if ignoresDeviceName { logger.notice("device-name-ignored", metadata: ["user": "\(username)"]) }
    guard !keyIDs.isEmpty else { return }
    logger.notice("lost-keys-forgotten", metadata: ["user": "\(username)", "key": "\(Self.beginnings(of: keyIDs))"])
  }

  /// A request or an answer was refused.
  ///
  /// - Parameter isCounted: false if the audit has a row for it.
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
  /// - Parameter name: what has too many: an account, or an address as it is counted.
  func limited(
    _ limit: Limit, _ name: String?, _ route: UAFRoute, _ operation: UAFOperation?, from address: SocketAddress?,
    now: Int64
  ) {
    refusals.count("limited", address)
    metrics.count(.limited, route, operation)
    metrics.count(limit)
    guard notices.admits("\(limit.rawValue) \(name ?? "-")", now: now) else { return }
    logger.notice("limited", metadata: ["by": "\(limit.rawValue)", "name": "\(name ?? "-")"])
  }

  /// The store or the server itself has failed; the store's failures are told once, however many requests meet them.
  func failed(_ error: any Error, _ route: UAFRoute, _ operation: UAFOperation?) {
    let failure = error as? any StoreFailure
    metrics.count(failure?.isTemporary == true ? .away : .failed, route, operation)
    if let failure { return watch.failed(failure) }
    let what = (error as? ServerError)?.description ?? "\(type(of: error))"
    logger.error("failed", metadata: ["route": "\(route.rawValue)", "error": "\(what)"])
  }

  /// Eight characters of each KeyID: enough to tell an account's keys apart in the log.
  private static func beginnings(of keyIDs: [KeyID]) -> String {
    keyIDs.map { String($0.text.prefix(8)) }.joined(separator: ",")
  }
}

/// Stops requests by a status of HTTP, where UAF has none that says "try again later", and tells the log.
struct RequestStops: Sendable {
  let log: RequestLog
  /// Seconds since 1970.
  let now: @Sendable () -> Int64

  /// Status 429: a limit has stopped it.
  func tooMany(
    _ limit: Limit, _ route: UAFRoute, _ operation: UAFOperation?, from address: SocketAddress?,
    for account: String? = nil
  ) -> WebRefusal {
    let name = limit == .account ? account : address.flatMap(Admission.name)
    log.limited(limit, name, route, operation, from: address, now: now())
    return WebRefusal(WebResponse(status: .tooManyRequests, headers: [("Retry-After", "60")]))
  }

  /// Status 503: the store is away.
  func away(_ error: any StoreFailure, _ route: UAFRoute, _ operation: UAFOperation?) -> WebRefusal {
    log.failed(error, route, operation)
    return WebRefusal(WebResponse(status: .serviceUnavailable, headers: [("Retry-After", "5")]))
  }
}

/// Counts answers that are wrong, and sees to it that the audit has them: each by itself, or one row for many.
///
/// An answer of a known machine, or of somebody with authority for the account, has a row within its budget, which is stored with
/// the count. Strangers write nothing in the store: their answers, and those beyond ``mostRows``, are counted in memory.
struct AnswerRefusals: Sendable {
  /// Rows for refusals in a minute, of all accounts together; twice as many at once.
  static let mostRows: Int64 = 600

  private let admission: Admission
  private let wrongAnswers: WrongAnswerLimit
  private let counted: RefusalCount
  /// Wrong answers of strangers for an account, at this instance.
  private let wrongOfStrangers: RateLimiter?
  private let rows = RateLimiter(.init(perMinute: mostRows))
  private let now: @Sendable () -> Int64

  init(environment: ServiceEnvironment, admission: Admission, count: RefusalCount) {
    self.admission = admission
    counted = count
    now = environment.now
    let rate = admission.accountRate
    wrongOfStrangers = rate > 0 ? RateLimiter(.init(perMinute: rate)) : nil
    wrongAnswers = WrongAnswerLimit(
      store: environment.store, keys: environment.keys, perMinute: rate, now: environment.now)
  }

  /// An address as the audit has it; empty for a Unix socket.
  static func text(_ address: SocketAddress?) -> String { address?.ipAddress ?? "" }

  /// Counts a refusal that has no row of its own.
  func count(_ reason: String, _ address: SocketAddress?) { counted.add(reason, from: Self.text(address)) }

  /// The row for a refused answer; nil if it is only counted.
  func event(
    _ answer: ResponseService.Answer, _ refusal: ServiceRefusal, _ machine: KnownMachine?, _ address: SocketAddress?
  ) -> AuditEntry? {
    let now = now()
    let isKnown = machine.map { Self.isOf($0, answer.username) } ?? false
    guard isKnown || answer.isAuthorised(refused: refusal) else { return nil }
    guard admission.accountRate > 0, rows.admits("", now: now) else { return nil }
    return answer.event(refused: refusal, from: Self.text(address), now: now)
  }

  /// Whether a machine has proved that it sends an answer for the account.
  private static func isOf(_ machine: KnownMachine, _ account: String?) -> Bool {
    machine.claim.isAnswer && account.map(machine.claim.username.isIdentical(to:)) ?? true
  }

  /// Counts a wrong answer, and stores its row if it is within the budget.
  ///
  /// - Parameters:
  ///   - account: that of the answer's request; nil if there is no request.
  ///   - event: its row; nil for an answer of a stranger, which is counted in memory.
  /// - Returns: the limit that it is beyond; nil for none.
  func limit(
    _ machine: KnownMachine?, _ address: SocketAddress?, account: String?, _ event: AuditEntry?
  ) async throws -> Limit? {
    if let machine, Self.isOf(machine, account),
      try await wrongAnswers.admits("machine \(Admission.name(of: machine))", event: event)
    {
      return nil
    }
    guard admission.admits(wrongFrom: address, now: now()) else { return .address }
    guard let account else { return nil }
    guard let event else { return wrongOfStrangers?.admits(account, now: now()) ?? true ? nil : .account }
    return try await wrongAnswers.admits("account \(account)", event: event) ? nil : .account
  }
}
