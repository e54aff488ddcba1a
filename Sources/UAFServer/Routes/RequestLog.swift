import Logging
import NIOCore
import UAFMessages
import UAFService

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
