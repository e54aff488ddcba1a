import AsyncHTTPClient
import FidoResults
import Glibc
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle
import UAFMessages
import UAFService

/// Sends the audit's rows to one sink; a ``DeliveryMachine`` decides each step.
actor AuditDeliverer: Service {
  private let sink: any RowSink
  private let store: any ServerStore
  private let instance: String
  private let figures: DeliveryFigures
  private let logger: Logger
  private let now: @Sendable () -> Int64
  private var machine = DeliveryMachine()

  /// Makes a deliverer; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - instance: a name that no other process using this store has.
  ///   - now: seconds since 1970.
  init(
    to sink: any RowSink, from store: any ServerStore, instance: String, figures: DeliveryFigures, logger: Logger,
    now: @escaping @Sendable () -> Int64
  ) {
    self.sink = sink
    self.store = store
    self.instance = instance
    self.figures = figures
    self.logger = logger
    self.now = now
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        let seconds = await self.round()
        try? await Task.sleep(for: .seconds(seconds))
      }
    }
    await sink.close()
  }

  /// Sends the rows that the sink does not have yet.
  ///
  /// - Returns: the seconds until the next round begins.
  func round() async -> Int64 {
    var action = machine.first
    while !Task.isCancelled {
      let event: DeliveryMachine.Event
      switch action {
      case .wait(let seconds): return seconds
      case .take(let limit): event = await attempt { try await self.take(limit) }
      case .record(let number): event = await attempt { .recorded(try await self.record(number)) }
      case .send(let rows): event = await send(rows)
      }
      let next = machine.received(event)
      if let notice = next.notice { tell(notice) }
      action = next.action
    }
    return 0
  }

  private func attempt(_ use: () async throws -> DeliveryMachine.Event) async -> DeliveryMachine.Event {
    // StoreWatch reports a failing store.
    do { return try await use() } catch { return .storeFailed }
  }

  private func take(_ limit: Int) async throws -> DeliveryMachine.Event {
    let (name, instance, now) = (sink.name, instance, now())
    try await goBackIfCut()
    let (delivery, last, next) = try await store.read { records in
      let delivery = try records.auditDeliveries.delivery(to: name)
      let next = try records.audit.rows(AuditFilter(after: delivery.delivered), limit: 1).first
      return (delivery, try records.audit.last().number, next)
    }
    figures.set(.init(delivered: delivery.delivered, last: last, oldest: next?.event.time), of: name)
    guard next != nil else { return .taken([], last: last) }
    var after: Int64? = delivery.delivered
    if !delivery.isHeld(by: instance, now: now) {
      after = try await store.write { records in
        var delivery = try records.auditDeliveries.delivery(to: name)
        guard delivery.take(by: instance, now: now) else { return nil }
        try records.auditDeliveries.keep(delivery)
        return delivery.delivered
      }
    }
    guard let after else { return .heldElsewhere(delivered: delivery.delivered) }
    let rows = try await store.read { try $0.audit.rows(AuditFilter(after: after), limit: limit) }
    return .taken(rows, last: last)
  }

  /// Moves the sink's position back to the end of the audit if the sink has received rows beyond it: somebody has cut these
  /// rows off.
  private func goBackIfCut() async throws {
    let name = sink.name
    let isCut = try await store.read { records in
      try records.auditDeliveries.delivery(to: name).delivered > records.audit.last().number
    }
    guard isCut else { return }
    let cut = try await store.write { records -> (delivered: Int64, last: Int64)? in
      var delivery = try records.auditDeliveries.delivery(to: name)
      let (delivered, last) = (delivery.delivered, try records.audit.last().number)
      guard delivery.goBack(to: last) else { return nil }
      try records.auditDeliveries.keep(delivery)
      return (delivered, last)
    }
    guard let cut else { return }
    logger.critical(
      "audit-sink-ahead", metadata: ["sink": "\(name)", "delivered": "\(cut.delivered)", "last": "\(cut.last)"])
  }

  private func record(_ number: Int64) async throws -> Bool {
    try await store.write { [name = sink.name, instance] records in
      var delivery = try records.auditDeliveries.delivery(to: name)
      guard delivery.record(through: number, by: instance) else { return false }
      try records.auditDeliveries.keep(delivery)
      return true
    }
  }

  private func send(_ rows: [AuditRow]) async -> DeliveryMachine.Event {
    do {
      try await sink.send(rows)
      return .accepted
    } catch {
      return .refused(error.description)
    }
  }

  private func tell(_ notice: DeliveryMachine.Notice) {
    switch notice {
    case .failed(let reason):
      logger.error("audit-sink-failed", metadata: ["sink": "\(sink.name)", "error": "\(reason)"])
    case .back(let rows):
      logger.notice("audit-sink-back", metadata: ["sink": "\(sink.name)", "rows": "\(rows)"])
    }
  }
}

/// An external program that receives each row of the audit.
protocol RowSink: Sendable {
  /// The sink's name in the store, in its metrics and in its log lines.
  var name: String { get }

  /// Sends rows, and returns once the sink has received them.
  ///
  /// - Throws: ``SinkFailure`` unless it is certain that the sink has all of them.
  func send(_ rows: [AuditRow]) async throws(SinkFailure)

  /// Closes open connections; nothing is sent afterwards.
  func close() async
}

/// Why a sink of the audit has not accepted rows.
///
/// It contains no text that the sink sent, only an HTTP status.
enum SinkFailure: Error, Equatable, CustomStringConvertible {
  case system(errorNumber: Int32)
  case unknownHost
  case untrusted
  case otherName
  case silent
  case closed
  case status(UInt)
  case other(String)

  var description: String {
    switch self {
    // SAFETY: strerror's text is copied immediately.
    case .system(let errorNumber): unsafe String(cString: strerror(errorNumber))
    case .unknownHost: "its name has no address: check the name, and this machine's name servers"
    case .untrusted:
      "no TLS connection: its certificate is not from a trusted authority or is not valid now, or it does not "
        + "support TLS 1.2"
    case .otherName: "its certificate is for a different name: give the name in the certificate"
    case .silent: "it does not reply in time"
    case .closed: "it closed the connection before it had received everything"
    case .status(let code): "it replied with HTTP status \(code)"
    case .other(let text): text
    }
  }

  /// Reads an error of the network or of TLS.
  init(_ error: any Error) {
    self =
      switch error {
      case let failure as SinkFailure: failure
      case let error as IOError: .system(errorNumber: error.errnoCode)
      case let error as NIOConnectionError: Self.connection(error)
      case let error as NIOSSLExtraError where error == .failedToValidateHostname: .otherName
      case let error as NIOSSLError: Self.tls(error)
      case let error as ChannelError: Self.channel(error)
      case let error as HTTPClientError: Self.http(error)
      default: .other("\(type(of: error))")
      }
  }

  private static func connection(_ error: NIOConnectionError) -> SinkFailure {
    guard let first = error.connectionErrors.first else { return .unknownHost }
    return SinkFailure(first.error)
  }

  private static func tls(_ error: NIOSSLError) -> SinkFailure {
    switch error {
    case .handshakeFailed: .untrusted
    case .unableToValidateCertificate, .noCertificateToValidate: .otherName
    default: .closed
    }
  }

  private static func channel(_ error: ChannelError) -> SinkFailure {
    if case .connectTimeout = error { .silent } else { .closed }
  }

  private static func http(_ error: HTTPClientError) -> SinkFailure {
    switch error {
    case .connectTimeout, .deadlineExceeded, .readTimeout, .writeTimeout, .tlsHandshakeTimeout: .silent
    case .remoteConnectionClosed: .closed
    default: .other("\(error.shortDescription)")
    }
  }
}

/// The printed form of an audit row.
enum AuditLine {
  static let titles = "number\ttime\tkind\toutcome\taccount\tactor\taddress\tmachine\tauthenticators\tdetail"

  /// A row as a line for people.
  ///
  /// Strangers can choose some of the texts, and whoever can change the store can choose all. So characters that are not plain
  /// text are replaced.
  ///
  /// - Parameter row: the row as ``APIShapes`` shows it.
  static func text(_ row: JSONObject) -> String {
    let texts = APIShapes.auditTexts.map { row.said($0, limit: 1024) }
    return ([row.number("number"), row.time("time", orElse: "-")] + texts).joined(separator: "\t")
  }

  /// The whole row as JSON in ASCII, from which its hash can be recomputed.
  static func json(_ row: AuditRow) -> String {
    JSONText.ascii(JSONValue.object(APIShapes.auditRow(row)).text)
  }
}
