import NIOHTTP1
import UAFService
import WebMessages

/// The routes of the metrics listener: a page for Prometheus, and the two health checks of ``HealthRoutes``.
///
/// They have no TLS and no sign-in, so they have a listener of their own. The administrator must give it an address that only
/// trusted monitoring can reach, since the page shows how many people log in.
struct MetricsRoutes: Sendable {
  let metrics: ServerMetrics
  let health: HealthRoutes
  let connections: Connections
  /// The machines that this instance has refused as unknown.
  let unknown: UnknownMachines
  /// The new troubles that machines have reported to this instance.
  let troubles: TroubleCount
  /// When each certificate that clients see expires, in seconds since 1970.
  let certificateEnds: @Sendable () -> [Int64]

  /// Makes the routes of one server.
  ///
  /// - Parameters:
  ///   - connections: the connections of the listener for logins.
  ///   - unknown: the machines that this instance has refused as unknown.
  ///   - troubles: the new troubles that machines have reported to this instance.
  ///   - certificateEnds: when each certificate that clients see expires, in seconds since 1970.
  init(
    metrics: ServerMetrics, health: HealthRoutes, connections: Connections,
    unknown: UnknownMachines = UnknownMachines(), troubles: TroubleCount = TroubleCount(),
    certificateEnds: @escaping @Sendable () -> [Int64]
  ) {
    self.metrics = metrics
    self.health = health
    self.connections = connections
    self.unknown = unknown
    self.troubles = troubles
    self.certificateEnds = certificateEnds
  }

  /// Answers a request to one of the routes, and refuses any other.
  @Sendable func response(to request: WebRequest) async -> WebResponse {
    switch (request.method, request.path) {
    case (.GET, "/metrics"):
      WebResponse(
        status: .ok, headers: [("Content-Type", MetricsPage.contentType), ("Cache-Control", "no-store")],
        body: Array(page.utf8))
    case (.GET, "/livez"): health.isAlive
    case (.GET, "/readyz"): health.isReady
    default: WebResponse(status: .notFound)
    }
  }

  /// The page with the current figures.
  var page: String {
    var page = MetricsPage()
    page.begin("uaf_build_info", .gauge, "The server's version; always 1.")
    page.add("uaf_build_info", [("version", ServerVersion.current)], 1)
    metrics.requests.write(to: &page)
    metrics.store.write(to: &page)
    page.single(
      "uaf_store_up", .gauge, "Whether the store passed the last check, once a second.", health.watch.isReady ? 1 : 0)
    page.single("uaf_audit_last_number", .gauge, "The number of the audit's last row.", health.watch.lastRow)
    page.single(
      "uaf_audit_signed_number", .gauge, "The last row of the audit that this instance saw signed.",
      health.standing.moment?.link.number ?? 0)
    page.single(
      "uaf_audit_unsigned_seconds", .gauge,
      "Seconds since this instance last knew that the whole audit was signed; up to 60 is usual.",
      health.standing.unsignedSeconds(at: health.now()))
    metrics.deliveries.write(to: &page)
    metrics.trust.write(to: &page)
    let size = connections.size
    page.single("uaf_connections", .gauge, "Connections that are open.", size.connections)
    page.single("uaf_connection_addresses", .gauge, "Addresses that have open connections.", size.addresses)
    page.single(
      "uaf_unknown_machines", .gauge,
      "Machines that said in the last week that they have joined, and that this server does not know.",
      unknown.all(now: health.now()).count)
    page.single(
      "uaf_unknown_machine_reports_total", .counter, "Reports of machines that this server does not know.",
      unknown.reports)
    let reported = troubles.figures
    page.begin("uaf_machine_troubles_total", .counter, "New troubles that machines have reported, by kind.")
    for (kind, count) in [
      ("failure", reported.failures), ("lock", reported.locks), ("wrong-values", reported.wrongValues),
    ] {
      page.add("uaf_machine_troubles_total", [("kind", kind)], count)
    }
    let ends = certificateEnds()
    if !ends.isEmpty {
      page.begin("uaf_certificate_end_timestamp_seconds", .gauge, "When a certificate that clients see expires.")
      for (number, end) in ends.enumerated() {
        page.add("uaf_certificate_end_timestamp_seconds", [("certificate", String(number))], end)
      }
    }
    ProcessFigures.write(to: &page)
    return page.text
  }
}

/// Health checks for proxies and service managers: whether the process responds, and whether it is ready.
///
/// No limit applies to these requests, so that nobody can use up the budget of a proxy's checks. They do not use the store. The
/// answer is one word or two.
struct HealthRoutes: Sendable {
  let watch: StoreWatch
  /// The policies in force; throws if there are none that this server can use.
  let policies: @Sendable () throws -> AccountPolicies
  /// For how long the audit has been unsigned.
  var standing = AuditStanding()
  /// Seconds since 1970.
  var now: @Sendable () -> Int64 = { 0 }

  var isAlive: WebResponse { Self.response(.ok, "ok") }

  var isReady: WebResponse {
    guard watch.isReady else { return Self.response(.serviceUnavailable, "store") }
    guard (try? policies()) != nil else { return Self.response(.serviceUnavailable, "policy") }
    // An unsigned audit does not stop logins, so the status stays that of a ready server.
    return Self.response(.ok, standing.isOverdue(at: now()) ? "ok audit-unsigned" : "ok")
  }

  private static func response(_ status: HTTPResponseStatus, _ word: String) -> WebResponse {
    WebResponse(
      status: status, headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
      body: Array("\(word)\n".utf8))
  }
}
