/// The steps of sending rows of the audit to a sink, without store, network and clock.
///
/// A row is recorded as delivered only after the sink has accepted it. So a row may be sent twice, but none is left out.
package struct DeliveryMachine: Sendable {
  package enum Event: Equatable, Sendable {
    /// This instance holds the sink's lease, and these are the next rows; none if the sink has all.
    ///
    /// `last` is the number of the audit's last row.
    case taken([AuditRow], last: Int64)
    /// A different instance holds the lease and sends; the sink has received the rows up to this number.
    case heldElsewhere(delivered: Int64)
    /// The sink has accepted the rows.
    case accepted
    /// The sink refused the rows, for this reason.
    case refused(String)
    /// The new position was recorded; false if a different instance had taken the lease.
    case recorded(Bool)
    case storeFailed
  }

  package enum Action: Equatable, Sendable {
    /// Take the sink's lease, and read at most this many rows after its position.
    case take(limit: Int)
    case send([AuditRow])
    case record(through: Int64)
    case wait(seconds: Int64)
  }

  /// The messages for the log.
  package enum Notice: Equatable, Sendable {
    case failed(String)
    /// The sink accepts rows again, from this instance or a different one; this many rows had to wait.
    case back(rows: Int64)
  }

  /// The most rows that are sent together and held in memory.
  package static let mostRows = 200
  /// Seconds until the next search for new rows.
  private static let pause: Int64 = 1
  /// The longest wait after failures, in seconds.
  private static let longestPause: Int64 = 60

  /// Failures since the last success.
  private var failures = 0
  /// The reasons of failures that were logged since the last success.
  ///
  /// There are few different ones, and each is logged once.
  private var told: Set<String> = []
  /// The number of the first row that the sink has not accepted since its last success.
  private var refusedFrom: Int64 = 0
  private var limit = mostRows
  /// The rows that are being sent, and the last number at the time of reading.
  private var sending: [AuditRow] = []
  private var last: Int64 = 0

  package init() {}

  /// The first action, and the action after each wait.
  package var first: Action { .take(limit: limit) }

  /// The action after an event.
  package mutating func received(_ event: Event) -> (action: Action, notice: Notice?) {
    switch event {
    case .heldElsewhere(let delivered): return (.wait(seconds: Self.pause), gone(through: delivered))
    case .taken(let rows, let last):
      guard !rows.isEmpty else { return (.wait(seconds: Self.pause), gone(through: last)) }
      sending = rows
      self.last = last
      return (.send(rows), nil)
    case .accepted: return accepted()
    case .refused(let reason): return refused(reason)
    case .recorded(let isOurs):
      sending = []
      failures = 0
      return (isOurs ? .take(limit: limit) : .wait(seconds: Self.pause), nil)
    case .storeFailed:
      sending = []
      return (.wait(seconds: waited()), nil)
    }
  }

  private mutating func accepted() -> (action: Action, notice: Notice?) {
    guard let first = sending.first?.number, let end = sending.last?.number else {
      return (.take(limit: limit), nil)
    }
    limit = min(limit * 2, Self.mostRows)
    defer { told = [] }
    return (.record(through: end), told.isEmpty ? nil : .back(rows: max(last, end) - first + 1))
  }

  /// The notice that the sink has received, perhaps from a different instance, the rows that it refused here.
  ///
  /// Without it the failure would be the last line in the log.
  private mutating func gone(through delivered: Int64) -> Notice? {
    guard !told.isEmpty, delivered >= refusedFrom else { return nil }
    (told, failures, limit) = ([], 0, Self.mostRows)
    return .back(rows: delivered - refusedFrom + 1)
  }

  /// Halves the number of rows that are sent together: so a row that is too long for the sink does not block the rows before
  /// it.
  private mutating func refused(_ reason: String) -> (action: Action, notice: Notice?) {
    if told.isEmpty { refusedFrom = sending.first?.number ?? 0 }
    sending = []
    limit = max(1, limit / 2)
    return (.wait(seconds: waited()), told.insert(reason).inserted ? .failed(reason) : nil)
  }

  /// The seconds to wait: one after the first failure, and twice as long after each further one.
  private mutating func waited() -> Int64 {
    defer { failures = min(failures + 1, 6) }
    return min(Self.pause << Int64(failures), Self.longestPause)
  }
}

/// The position of a sink of the audit: how many rows it has received, and which instance has the lease to send it more.
///
/// A sink is an external program that receives each row. One instance at a time sends; its lease lasts ``hold`` seconds, and it
/// renews the lease while it sends. Each instance goes by its own clock. If two clocks differ by more than that, both instances
/// may send the same rows.
package struct AuditDelivery: Equatable, Sendable {
  /// How long a lease lasts, in seconds.
  package static let hold: Int64 = 60

  package let sink: String
  /// The number of the last row that the sink has received; 0 for none.
  package private(set) var delivered: Int64
  /// The instance that has the lease.
  package private(set) var holder: String
  /// When the lease ends, in seconds since 1970.
  package private(set) var heldUntil: Int64

  /// Makes a stored position, or the one of a sink that has received nothing and for which nobody has a lease.
  package init(sink: String, delivered: Int64 = 0, holder: String = "", heldUntil: Int64 = 0) {
    self.sink = sink
    self.delivered = delivered
    self.holder = holder
    self.heldUntil = heldUntil
  }

  /// Whether an instance has the lease for at least half of its full duration.
  ///
  /// - Parameter now: seconds since 1970.
  package func isHeld(by instance: String, now: Int64) -> Bool {
    holder == instance && heldUntil - now >= Self.hold / 2
  }

  /// Gives an instance the lease, unless a different one has it.
  ///
  /// - Returns: whether the instance has it now.
  package mutating func take(by instance: String, now: Int64) -> Bool {
    // If a clock was set back, a lease may end far in the future. Such a lease is ignored.
    guard holder == instance || heldUntil <= now || heldUntil > now + Self.hold * 2 else { return false }
    holder = instance
    heldUntil = now + Self.hold
    return true
  }

  /// Notes that the sink has received the rows up to a number.
  ///
  /// The position never moves back here: see ``goBack(to:)``.
  ///
  /// - Returns: false if a different instance has taken the lease in the meantime, and will send the rows again.
  package mutating func record(through number: Int64, by instance: String) -> Bool {
    guard holder == instance else { return false }
    delivered = max(delivered, number)
    return true
  }

  /// Moves the position back to `number`: the rows that the sink received after it have since been cut off or rewritten.
  ///
  /// The store's own rows after it are sent, even if the sink already has rows with those numbers.
  ///
  /// - Returns: false if the sink has received no row after `number`.
  package mutating func goBack(to number: Int64) -> Bool {
    guard delivered > number else { return false }
    delivered = number
    return true
  }
}

/// The positions of the audit's sinks.
package protocol AuditDeliveries {
  /// The positions of all sinks that rows were ever sent to, in the order of the sinks' names.
  func all() throws -> [AuditDelivery]

  /// Stores the position of a sink, instead of its earlier one.
  func keep(_ delivery: AuditDelivery) throws
}

extension AuditDeliveries {
  /// The position of a sink; a new one if nothing was ever sent to it.
  package func delivery(to sink: String) throws -> AuditDelivery {
    try all().first { $0.sink == sink } ?? AuditDelivery(sink: sink)
  }
}
