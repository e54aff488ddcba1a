import UAFMessages
import UAFService

/// What became of the requests to the routes of UAF, and how long they took.
///
/// No label has a name, an address or a key: the page tells how many, and never who.
final class RequestMetrics: Sendable {
  private struct Kind: Hashable, Sendable {
    let route: UAFRoute
    /// nil if the request could not be read as far.
    let operation: UAFOperation?
    let result: RequestResult
  }

  private struct Refusal: Hashable, Sendable {
    let route: UAFRoute
    let reason: ServiceRefusal
  }

  // All there can be are made at the start, so that nothing is locked while one is counted, and a page has each of them from the
  // first time: a rate is wrong by one where a series begins with 1.
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
    return (route == .get ? [.issued, .denied] : [.accepted]) + either
  }

  /// Counts what became of a request.
  func count(_ result: RequestResult, _ route: UAFRoute, _ operation: UAFOperation?) {
    results[Kind(route: route, operation: operation, result: result)]?.add()
  }

  /// Counts why one was refused.
  func count(_ reason: ServiceRefusal, _ route: UAFRoute) { refusals[Refusal(route: route, reason: reason)]?.add() }

  /// Counts which limit stopped one.
  func count(_ limit: Limit) { limited[limit]?.add() }

  /// Counts how long a request took, from its last byte to its answer's first.
  func count(_ duration: Duration, _ route: UAFRoute) { durations[route]?.count(duration) }

  func write(to page: inout MetricsPage) {
    page.begin("uaf_requests_total", .counter, "Requests by what became of them.")
    for (kind, counter) in results.sorted(by: { Self.name($0.key) < Self.name($1.key) }) {
      let labels: MetricsPage.Labels = [
        ("route", kind.route.rawValue), ("operation", kind.operation?.rawValue ?? "none"),
        ("result", kind.result.rawValue),
      ]
      page.add("uaf_requests_total", labels, counter.value)
    }
    page.begin("uaf_refusals_total", .counter, "Refusals by their reason, which the log has, too.")
    for route in UAFRoute.allCases {
      for reason in ServiceRefusal.allCases {
        let labels: MetricsPage.Labels = [("route", route.rawValue), ("reason", reason.rawValue)]
        page.add("uaf_refusals_total", labels, refusals[Refusal(route: route, reason: reason)]?.value ?? 0)
      }
    }
    page.begin("uaf_limited_total", .counter, "Requests and wrong answers that a limit stopped, by what has too many.")
    for limit in Limit.allCases { page.add("uaf_limited_total", [("by", limit.rawValue)], limited[limit]?.value ?? 0) }
    page.begin("uaf_request_seconds", .histogram, "Time from a request's last byte to its answer.")
    for route in UAFRoute.allCases {
      if let histogram = durations[route] {
        page.add("uaf_request_seconds", [("route", route.rawValue)], histogram)
      }
    }
  }

  /// The order of the page, which is the same each time.
  private static func name(_ kind: Kind) -> String {
    "\(kind.route.rawValue) \(kind.operation?.rawValue ?? "") \(kind.result.rawValue)"
  }
}

/// What became of a request to `/uaf/get` or `/uaf/respond`.
enum RequestResult: String, CaseIterable, Sendable {
  /// A request was made for it.
  case issued
  /// Nothing was issued: the person had denied the text that waited.
  case denied
  /// The answer was right; what it says is stored.
  case accepted
  case refused
  /// A limit stopped it.
  case limited
  /// The store was away: the client was told to come back later.
  case away
  /// Something failed in the server.
  case failed
}

/// A route that clients ask: two of the UAF transport for people, and our own for the state of an account and for machines.
enum UAFRoute: String, CaseIterable, Sendable {
  case get, respond, account, join, leave, machine
}
