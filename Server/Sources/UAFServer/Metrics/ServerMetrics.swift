import Glibc
import HostSystem
import Synchronization
import UAFMessages
import UAFService

/// The figures of one server for `/metrics`: the number of requests, their outcomes, and how long requests and uses of the
/// store took.
final class ServerMetrics: Sendable {
  let requests = RequestMetrics()
  let store: StoreMetrics
  let deliveries = DeliveryFigures(now: { Terminal.now })
  let trust = TrustFigures()
  /// A monotonic clock.
  let clock: @Sendable () -> ContinuousClock.Instant

  /// Makes metrics that have counted nothing.
  init(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.clock = clock
    store = StoreMetrics(now: clock)
  }
}

/// A page of metrics in the text format of Prometheus, version 0.0.4 ("Exposition formats" of its documentation).
///
/// Names, labels and label values are constants of this program and never come from a request, so nothing is escaped.
struct MetricsPage {
  /// The media type of the format.
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  enum Kind: String {
    case counter, gauge, histogram
  }

  typealias Labels = [(name: String, value: String)]

  private(set) var text = ""

  /// Begins a family of metrics; its values must follow before the next family begins.
  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// Adds a value to the current family.
  mutating func add(_ name: String, _ labels: Labels = [], _ value: some Numeric & CustomStringConvertible) {
    text += "\(name)\(Self.written(labels)) \(value)\n"
  }

  /// Adds a family with a single value.
  mutating func single(
    _ name: String, _ kind: Kind, _ help: String, _ value: some Numeric & CustomStringConvertible
  ) {
    begin(name, kind, help)
    add(name, [], value)
  }

  /// Adds a histogram to the current family.
  mutating func add(_ name: String, _ labels: Labels, _ histogram: DurationHistogram) {
    let (atMost, count, seconds) = histogram.figures
    for (bound, value) in zip(DurationHistogram.bounds, atMost) {
      add("\(name)_bucket", labels + [("le", "\(bound / .seconds(1))")], value)
    }
    add("\(name)_bucket", labels + [("le", "+Inf")], count)
    add("\(name)_sum", labels, seconds)
    add("\(name)_count", labels, count)
  }

  private static func written(_ labels: Labels) -> String {
    guard !labels.isEmpty else { return "" }
    return "{" + labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",") + "}"
  }
}

/// A number of events, or of running operations, that several threads may change.
final class MetricCounter: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add(_ amount: Int = 1) { count.wrappingAdd(amount, ordering: .relaxed) }
}

/// A histogram of durations.
final class DurationHistogram: Sendable {
  /// The upper bounds of the buckets: from the time of one login on an idle machine to the longest wait for a database.
  static let bounds: [Duration] = [
    .microseconds(500), .milliseconds(1), .milliseconds(2), .milliseconds(5), .milliseconds(10), .milliseconds(20),
    .milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1), .milliseconds(2500),
    .seconds(5), .seconds(10),
  ]

  /// A counter for each bound, and one for all longer durations.
  private let buckets = (0...bounds.count).map { _ in MetricCounter() }
  private let nanoseconds = MetricCounter()

  /// Counts one event with its duration.
  func count(_ duration: Duration) {
    buckets[Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count].add()
    nanoseconds.add(Int(duration / .nanoseconds(1)))
  }

  /// The number of events that took at most as long as each bound, the number of all events, and their total duration in
  /// seconds.
  ///
  /// Other threads may count at the same time, so the number of all events is computed from the buckets: Prometheus refuses a
  /// page on which they differ.
  var figures: (atMost: [Int], count: Int, seconds: Double) {
    var sum = 0
    let atMost = buckets.map { bucket in
      sum += bucket.value
      return sum
    }
    return (atMost.dropLast(), sum, Double(nanoseconds.value) / 1e9)
  }
}

/// The system's figures about this process, under the names that Prometheus' own client libraries use.
enum ProcessFigures {
  static func write(to page: inout MetricsPage) {
    var usage = rusage()
    // SAFETY: `usage` is an rusage.
    if unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      page.single(
        "process_cpu_seconds_total", .counter, "Processor time, including the system's part.",
        seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }
    if let pages = statm().flatMap(residentPages) {
      page.single(
        "process_resident_memory_bytes", .gauge, "Memory in use.", pages * sysconf(CInt(_SC_PAGESIZE)))
    }
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

  /// The second number of `/proc/self/statm` (proc(5)).
  static func residentPages(_ statm: [UInt8]) -> Int? {
    let numbers = statm.split(separator: UInt8(ascii: " "))
    return numbers.count > 1 ? Int(String(decoding: numbers[1], as: UTF8.self)) : nil
  }

  private static func statm() -> [UInt8]? {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return DescriptorReader.read(descriptor, atMost: 256)
  }
}

/// The positions of the audit's sinks, as this instance last read them.
final class DeliveryFigures: Sendable {
  /// The position of one sink.
  struct Figures: Equatable, Sendable {
    /// The number of the last row that the sink has received.
    var delivered: Int64
    /// The number of the audit's last row.
    var last: Int64
    /// The time of the oldest row that the sink has not received, in seconds since 1970; nil if it has received all.
    var oldest: Int64?
  }

  private let figures = Mutex<[String: Figures]>([:])
  private let now: @Sendable () -> Int64

  /// - Parameter now: seconds since 1970.
  init(now: @escaping @Sendable () -> Int64) {
    self.now = now
  }

  /// Records the figures of a sink.
  func set(_ figures: Figures, of sink: String) { self.figures.withLock { $0[sink] = figures } }

  func write(to page: inout MetricsPage) {
    let now = now()
    let rows = figures.withLock { $0 }.sorted { $0.key < $1.key }.map { ([(name: "sink", value: $0.key)], $0.value) }
    page.begin(
      "uaf_audit_sink_delivered_number", .gauge, "The number of the last row that a sink of the audit has received.")
    for (labels, figures) in rows { page.add("uaf_audit_sink_delivered_number", labels, figures.delivered) }
    page.begin("uaf_audit_sink_lag_rows", .gauge, "Rows that a sink of the audit has not received yet.")
    for (labels, figures) in rows {
      page.add("uaf_audit_sink_lag_rows", labels, max(0, figures.last - figures.delivered))
    }
    page.begin(
      "uaf_audit_sink_lag_seconds", .gauge,
      "Age of the oldest row that a sink of the audit has not received yet.")
    for (labels, figures) in rows {
      page.add("uaf_audit_sink_lag_seconds", labels, figures.oldest.map { max(0, now - $0) } ?? 0)
    }
  }
}

/// The outcomes of the requests to the UAF routes, and how long they took.
///
/// No label contains a name, an address or a key, so that the page reveals nothing about people.
final class RequestMetrics: Sendable {
  private struct Kind: Hashable, Sendable {
    let route: UAFRoute
    /// nil if the operation could not be read from the request.
    let operation: UAFOperation?
    let result: RequestResult
  }

  private struct Refusal: Hashable, Sendable {
    let route: UAFRoute
    let reason: ServiceRefusal
  }

  // All possible counters are created at the start. So counting needs no lock, and each series is on the page with 0 before its
  // first event: otherwise Prometheus would miss that event in its rates.
  private let results: [Kind: MetricCounter]
  private let refusals: [Refusal: MetricCounter]
  private let limited = Dictionary(uniqueKeysWithValues: Limit.allCases.map { ($0, MetricCounter()) })
  private let durations = Dictionary(uniqueKeysWithValues: UAFRoute.allCases.map { ($0, DurationHistogram()) })

  init() {
    let operations: [UAFOperation?] = UAFOperation.allCases + [nil]
    let kinds = UAFRoute.allCases.flatMap { route in
      operations.flatMap { operation in
        Self.results(of: route).map { Kind(route: route, operation: operation, result: $0) }
      }
    }
    results = Dictionary(uniqueKeysWithValues: kinds.map { ($0, MetricCounter()) })
    let refusals = UAFRoute.allCases.flatMap { route in
      ServiceRefusal.allCases.map { Refusal(route: route, reason: $0) }
    }
    self.refusals = Dictionary(uniqueKeysWithValues: refusals.map { ($0, MetricCounter()) })
  }

  private static func results(of route: UAFRoute) -> [RequestResult] {
    let either: [RequestResult] = [.refused, .limited, .away, .failed]
    switch route {
    case .get: return [.issued, .denied] + either
    case .passkeyOptions: return [.issued] + either
    default: return [.accepted] + either
    }
  }

  /// Counts the outcome of a request.
  func count(_ result: RequestResult, _ route: UAFRoute, _ operation: UAFOperation?) {
    results[Kind(route: route, operation: operation, result: result)]?.add()
  }

  /// Counts the reason of a refusal.
  func count(_ reason: ServiceRefusal, _ route: UAFRoute) { refusals[Refusal(route: route, reason: reason)]?.add() }

  /// Counts the limit that stopped a request.
  func count(_ limit: Limit) { limited[limit]?.add() }

  /// Counts how long a request took, from its last byte to the first byte of its answer.
  func count(_ duration: Duration, _ route: UAFRoute) { durations[route]?.count(duration) }

  func write(to page: inout MetricsPage) {
    page.begin("uaf_requests_total", .counter, "Requests by result.")
    for (kind, counter) in results.sorted(by: { Self.name($0.key) < Self.name($1.key) }) {
      let labels: MetricsPage.Labels = [
        ("route", kind.route.rawValue), ("operation", kind.operation?.rawValue ?? "none"),
        ("result", kind.result.rawValue),
      ]
      page.add("uaf_requests_total", labels, counter.value)
    }
    page.begin("uaf_refusals_total", .counter, "Refusals by reason; the log has the same reasons.")
    for route in UAFRoute.allCases {
      for reason in ServiceRefusal.allCases {
        let labels: MetricsPage.Labels = [("route", route.rawValue), ("reason", reason.rawValue)]
        page.add("uaf_refusals_total", labels, refusals[Refusal(route: route, reason: reason)]?.value ?? 0)
      }
    }
    page.begin(
      "uaf_limited_total", .counter,
      "Requests and wrong responses that a limit stopped, by the kind of limit.")
    for limit in Limit.allCases { page.add("uaf_limited_total", [("by", limit.rawValue)], limited[limit]?.value ?? 0) }
    page.begin("uaf_request_seconds", .histogram, "Time from a request's last byte to its reply.")
    for route in UAFRoute.allCases {
      if let histogram = durations[route] {
        page.add("uaf_request_seconds", [("route", route.rawValue)], histogram)
      }
    }
  }

  /// The key by which the page is sorted, so that its order is always the same.
  private static func name(_ kind: Kind) -> String {
    "\(kind.route.rawValue) \(kind.operation?.rawValue ?? "") \(kind.result.rawValue)"
  }
}

/// The outcome of a request to `/uaf/get` or `/uaf/respond`.
enum RequestResult: String, CaseIterable, Sendable {
  /// A UAF request was issued.
  case issued
  /// Nothing was issued: the person denied the waiting text.
  case denied
  /// The answer was right, and its effect is stored.
  case accepted
  case refused
  /// A limit stopped the request.
  case limited
  /// The store was down, and the client was told to try again later.
  case away
  /// Something failed in the server.
  case failed
}

/// A route that clients use: the two of the UAF transport, our own for the state of an account and for machines, and those of
/// WebAuthn.
enum UAFRoute: String, CaseIterable, Sendable {
  case get, respond, account, join, leave, machine
  case passkeyOptions = "passkey-options"
  case passkeyResult = "passkey-result"
}

/// The durations of the operations on a store.
final class StoreMetrics: Sendable {
  private struct Figures: Sendable {
    let durations = DurationHistogram()
    let underWay = MetricCounter()
    let failures = MetricCounter()
  }

  private let figures = Dictionary(uniqueKeysWithValues: StoreOperation.allCases.map { ($0, Figures()) })
  private let now: @Sendable () -> ContinuousClock.Instant

  /// Makes metrics that have counted nothing.
  ///
  /// - Parameter now: a monotonic clock.
  init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.now = now
  }

  /// Runs an operation on the store, and counts it.
  ///
  /// A refusal by the transaction's body does not count as a failure of the store.
  func measure<Value: Sendable>(
    _ operation: StoreOperation, _ work: () async throws -> Value
  ) async throws -> Value {
    guard let figures = figures[operation] else { return try await work() }
    let start = now()
    figures.underWay.add()
    defer {
      figures.underWay.add(-1)
      figures.durations.count(now() - start)
    }
    do {
      return try await work()
    } catch {
      if error is any StoreFailure { figures.failures.add() }
      throw error
    }
  }

  func write(to page: inout MetricsPage) {
    let rows = StoreOperation.allCases.compactMap { operation in
      figures[operation].map { (labels: [("operation", operation.rawValue)] as MetricsPage.Labels, figures: $0) }
    }
    page.begin("uaf_store_seconds", .histogram, "Time that a use of the store took, including the wait for its turn.")
    for row in rows { page.add("uaf_store_seconds", row.labels, row.figures.durations) }
    page.begin("uaf_store_under_way", .gauge, "Uses of the store that have not ended, including those that wait.")
    for row in rows { page.add("uaf_store_under_way", row.labels, row.figures.underWay.value) }
    page.begin("uaf_store_failures_total", .counter, "Uses of the store that failed.")
    for row in rows { page.add("uaf_store_failures_total", row.labels, row.figures.failures.value) }
  }
}

/// A store that passes each operation to an underlying store, and counts durations, running operations and failures.
struct MeteredStore: ServerStore {
  let store: any ServerStore
  let metrics: StoreMetrics

  func read<Value: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
    try await metrics.measure(.read) { try await store.read(body) }
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await metrics.measure(.write) { try await store.write(body) }
  }

  func login(of username: String, appID: String, challenge: IssuedChallenge?) async throws -> LoginRecords {
    try await metrics.measure(.login) {
      try await store.login(of: username, appID: appID, challenge: challenge)
    }
  }

  func store(_ answer: VerifiedResponse) async throws {
    try await metrics.measure(.answer) { try await store.store(answer) }
  }
}

/// The operations of the store that the metrics distinguish.
enum StoreOperation: String, CaseIterable, Sendable {
  case read, write
  /// The read that each login makes.
  case login
  /// The durable commit of a verified answer, alone or with others.
  case answer
}
