import Logging
import Testing

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// Rows of the audit that are delivered to a sink, from each store.
@Suite(.onEachStore) struct AuditDelivererTests {
  private let server: TestServer
  private let sink = RecordingSink()
  private let log = RecordedLog()
  private let figures = DeliveryFigures(now: { 1000 })

  init() throws { server = try TestServer() }

  private func deliverer(
    _ instance: String = "a", store: (any ServerStore)? = nil, now: Int64 = 100
  ) -> AuditDeliverer {
    AuditDeliverer(
      to: sink, from: store ?? server.store, instance: instance, figures: figures,
      logger: Logger(label: "test") { [log] _ in log }, now: { now })
  }

  private func write(_ count: Int) async throws {
    try await server.store.write { records in
      try records.audit.append(
        (0..<count).map { AuditEntry(time: 400 + Int64($0), kind: .login, actor: .person) })
    }
  }

  @Test func `the server sends each audit row to a sink once and in order, even after a restart`() async throws {
    try await write(450)
    #expect(await deliverer().round() == 1)
    try await write(2)
    // The hold of the process that ended has expired, and a different process takes over.
    #expect(await deliverer("b", now: 500).round() == 1)
    #expect(sink.numbers == Array(1...452))
    #expect(sink.portions.map(\.count) == [200, 200, 50, 2])
    #expect(log.lines.isEmpty)
  }

  @Test func `one of two instances sends rows to a sink, and the other takes over when the first is gone`() async throws
  {
    try await write(3)
    #expect(await deliverer("a").round() == 1)
    try await write(1)
    #expect(await deliverer("b", now: 159).round() == 1)
    #expect(sink.numbers == [1, 2, 3])
    #expect(await deliverer("b", now: 160).round() == 1)
    #expect(sink.numbers == [1, 2, 3, 4])
  }

  @Test func `a sink that fails loses no row, and the log has a line when the sink fails and when it recovers`()
    async throws
  {
    let deliverer = deliverer()
    sink.fails(.silent)
    try await write(3)
    #expect(await deliverer.round() == 1)
    #expect(await deliverer.round() == 2)
    try await write(300)
    #expect(await deliverer.round() == 4)
    sink.fails(nil)
    #expect(await deliverer.round() == 1)
    #expect(sink.numbers == Array(1...303))
    #expect(
      log.lines == [
        "audit-sink-failed error=it does not reply in time sink=test", "audit-sink-back rows=303 sink=test",
      ])
  }

  @Test func `rows are sent to a sink again if its position could not be stored`() async throws {
    let store = FailingStore(server.store)
    let deliverer = deliverer(store: store)
    try await write(2)
    #expect(await deliverer.round() == 1)
    try await write(2)
    store.fails(.writes)
    #expect(await deliverer.round() == 1)
    store.fails(.nothing)
    #expect(await deliverer.round() == 1)
    #expect(sink.numbers == [1, 2, 3, 4, 3, 4])
  }

  @Test func `the server sends nothing to a sink while the store is away`() async throws {
    let store = FailingStore(server.store)
    try await write(2)
    store.fails(.everything)
    let deliverer = deliverer(store: store)
    #expect(await deliverer.round() == 1)
    #expect(await deliverer.round() == 2)
    #expect(sink.numbers.isEmpty && log.lines.isEmpty)
  }

  @Test func `audit rows that reuse the numbers of removed rows are sent to the sink, and the log says so once`()
    async throws
  {
    try await write(5)
    _ = await deliverer().round()
    try await server.database.execute("DELETE FROM audit WHERE number > 3")
    if StoreEngine.current == .postgresql {
      try await server.database.execute(
        "UPDATE auditEnd SET (number, hash) = (SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1)")
    }
    _ = await deliverer().round()
    try await write(1)
    _ = await deliverer().round()
    #expect(sink.numbers == [1, 2, 3, 4, 5, 4])
    #expect(log.lines == ["audit-sink-ahead delivered=5 last=3 sink=test"])
  }

  @Test func `metrics say how many rows a sink has received, and how old its oldest undelivered row is`() async throws {
    try await write(5)
    sink.fails(.closed)
    _ = await deliverer().round()
    var page = MetricsPage()
    figures.write(to: &page)
    #expect(page.text.contains("uaf_audit_sink_delivered_number{sink=\"test\"} 0\n"))
    #expect(page.text.contains("uaf_audit_sink_lag_rows{sink=\"test\"} 5\n"))
    #expect(page.text.contains("uaf_audit_sink_lag_seconds{sink=\"test\"} 600\n"))
    sink.fails(nil)
    _ = await deliverer().round()
    page = MetricsPage()
    figures.write(to: &page)
    #expect(page.text.contains("uaf_audit_sink_delivered_number{sink=\"test\"} 5\n"))
    #expect(page.text.contains("uaf_audit_sink_lag_seconds{sink=\"test\"} 0\n"))
  }

  @Test func `the audit's retention rule does not remove rows that a sink has not received`() async throws {
    try await write(5)
    try await AuditPruneCommand.checkDeliveries(server.store, through: 4)
    try await server.store.write { try $0.auditDeliveries.keep(AuditDelivery(sink: "syslog", delivered: 3)) }
    await #expect(throws: (any Error).self) {
      try await AuditPruneCommand.checkDeliveries(server.store, through: 4)
    }
    try await AuditPruneCommand.checkDeliveries(server.store, through: 3)
  }
}
