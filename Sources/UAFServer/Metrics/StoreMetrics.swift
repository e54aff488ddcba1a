import UAFService

/// What the uses of a store took.
final class StoreMetrics: Sendable {
  private struct Figures: Sendable {
    let durations = DurationHistogram()
    let underWay = MetricCounter()
    let failures = MetricCounter()
  }

  private let figures = Dictionary(uniqueKeysWithValues: StoreOperation.allCases.map { ($0, Figures()) })
  private let now: @Sendable () -> ContinuousClock.Instant

  /// Makes them, with nothing counted.
  ///
  /// - Parameter now: a clock that runs while the machine does.
  init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.now = now
  }

  /// Does something with the store, and counts it.
  ///
  /// A body's own refusal is no failure of the store.
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
    page.begin("uaf_store_seconds", .histogram, "Time that a use of the store took, with the wait for its turn.")
    for row in rows { page.add("uaf_store_seconds", row.labels, row.figures.durations) }
    page.begin("uaf_store_under_way", .gauge, "Uses of the store that have not ended, with those that wait.")
    for row in rows { page.add("uaf_store_under_way", row.labels, row.figures.underWay.value) }
    page.begin("uaf_store_failures_total", .counter, "Uses of the store that failed.")
    for row in rows { page.add("uaf_store_failures_total", row.labels, row.figures.failures.value) }
  }
}

/// A store that counts how long each use of another one took, how many are under way, and how many failed.
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

  func store(_ answer: VerifiedAnswer) async throws {
    try await metrics.measure(.answer) { try await store.store(answer) }
  }
}

/// What the server asks of its store, as its metrics tell it apart.
enum StoreOperation: String, CaseIterable, Sendable {
  case read, write
  /// The read of each login.
  case login
  /// The durable commit of a verified answer, alone or with others.
  case answer
}
