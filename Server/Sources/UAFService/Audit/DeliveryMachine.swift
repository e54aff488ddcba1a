/// What follows what when rows of the audit are sent to a sink, without store, network and clock.
///
/// A row is recorded as delivered after the sink has accepted it, so it may be sent twice and is never left out.
package struct DeliveryMachine: Sendable {
  package enum Event: Equatable, Sendable {
    /// The place is held by this instance, and these are the next rows; none if the sink has all.
    ///
    /// `last` is the number of the audit's last row.
    case taken([AuditRow], last: Int64)
    /// Another instance sends; the sink has got the rows up to this number.
    case heldElsewhere(delivered: Int64)
    /// The sink has the rows.
    case accepted
    /// The sink did not take the rows, for this reason.
    case refused(String)
    /// The place was written; false if another instance had taken it.
    case recorded(Bool)
    case storeFailed
  }

  package enum Action: Equatable, Sendable {
    /// Take the place, and read the rows after it, as many at most.
    case take(limit: Int)
    case send([AuditRow])
    case record(through: Int64)
    case wait(seconds: Int64)
  }

  /// What the log has to say.
  package enum Notice: Equatable, Sendable {
    case failed(String)
    /// The sink takes rows again, of this instance or of another one; so many have waited.
    case back(rows: Int64)
  }

  /// The most rows that are sent and held in memory at once.
  package static let mostRows = 200
  /// Seconds until it is looked for new rows.
  private static let pause: Int64 = 1
  /// The longest that is waited after failures, in seconds.
  private static let longestPause: Int64 = 60

  /// Failures since the last success.
  private var failures = 0
  /// Reasons that were told since the last success; there are few, and the log has one line for each.
  private var told: Set<String> = []
  /// The number of the first row that the sink has not taken since its last success.
  private var refusedFrom: Int64 = 0
  private var limit = mostRows
  /// The rows that are being sent, and the last number when they were read.
  private var sending: [AuditRow] = []
  private var last: Int64 = 0

  package init() {}

  /// What is done first, and after each wait.
  package var first: Action { .take(limit: limit) }

  /// What is done after an event.
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

  /// What there is to say where another instance has sent what was refused here: otherwise the failure would be the last word.
  private mutating func gone(through delivered: Int64) -> Notice? {
    guard !told.isEmpty, delivered >= refusedFrom else { return nil }
    (told, failures, limit) = ([], 0, Self.mostRows)
    return .back(rows: delivered - refusedFrom + 1)
  }

  /// Fewer rows are sent after a refusal: one that is too long for the sink does not hold up those before it.
  private mutating func refused(_ reason: String) -> (action: Action, notice: Notice?) {
    if told.isEmpty { refusedFrom = sending.first?.number ?? 0 }
    sending = []
    limit = max(1, limit / 2)
    return (.wait(seconds: waited()), told.insert(reason).inserted ? .failed(reason) : nil)
  }

  /// One second after the first failure, and twice as long after each further one.
  private mutating func waited() -> Int64 {
    defer { failures = min(failures + 1, 6) }
    return min(Self.pause << Int64(failures), Self.longestPause)
  }
}

/// How far a sink of the audit has come, and which instance sends to it.
///
/// A sink is a program elsewhere that gets each row. One instance at a time sends; it holds the place for some seconds, and
/// holds it again while it sends. The instances' clocks decide. If they differ by more, two may send the same rows.
package struct AuditDelivery: Equatable, Sendable {
  /// For how many seconds an instance holds a place.
  package static let hold: Int64 = 60

  package let sink: String
  /// The number of the last row that the sink has got; 0 for none.
  package private(set) var delivered: Int64
  /// The instance that sends.
  package private(set) var holder: String
  /// Until when it holds the place, in seconds since 1970.
  package private(set) var heldUntil: Int64

  /// The place of a sink that has got nothing and that nobody holds, or as it is stored.
  package init(sink: String, delivered: Int64 = 0, holder: String = "", heldUntil: Int64 = 0) {
    self.sink = sink
    self.delivered = delivered
    self.holder = holder
    self.heldUntil = heldUntil
  }

  /// Whether an instance holds the place for at least half of the time that it may.
  ///
  /// - Parameter now: seconds since 1970.
  package func isHeld(by instance: String, now: Int64) -> Bool {
    holder == instance && heldUntil - now >= Self.hold / 2
  }

  /// Gives the place to an instance, unless another one holds it.
  ///
  /// - Returns: whether the instance has it now.
  package mutating func take(by instance: String, now: Int64) -> Bool {
    // A clock that was set back must not keep the place for longer than it may be held.
    guard holder == instance || heldUntil <= now || heldUntil > now + Self.hold * 2 else { return false }
    holder = instance
    heldUntil = now + Self.hold
    return true
  }

  /// Notes that the sink has got the rows up to a number.
  ///
  /// A place goes back only where rows were cut off: see ``goBack(to:)``.
  ///
  /// - Returns: false if another instance has taken the place meanwhile: it sends the rows again.
  package mutating func record(through number: Int64, by instance: String) -> Bool {
    guard holder == instance else { return false }
    delivered = max(delivered, number)
    return true
  }

  /// Notes that the rows after a number are not those any more that the sink has got: they are sent, also under numbers that it
  /// knows.
  ///
  /// - Returns: false if the sink has got none of them.
  package mutating func goBack(to number: Int64) -> Bool {
    guard delivered > number else { return false }
    delivered = number
    return true
  }
}

/// How far each sink of the audit has come.
package protocol AuditDeliveries {
  /// The places of all sinks that were ever sent to, in the order of their names.
  func all() throws -> [AuditDelivery]

  /// Keeps a place, instead of the one that its sink had.
  func keep(_ delivery: AuditDelivery) throws
}

extension AuditDeliveries {
  /// The place of a sink; a new one if nothing was ever sent to it.
  package func delivery(to sink: String) throws -> AuditDelivery {
    try all().first { $0.sink == sink } ?? AuditDelivery(sink: sink)
  }
}
