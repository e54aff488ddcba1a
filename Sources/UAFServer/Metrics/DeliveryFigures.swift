import Synchronization

/// How far the sinks of the audit have come, as this instance saw it last.
final class DeliveryFigures: Sendable {
  /// What is known of one sink.
  struct Figures: Equatable, Sendable {
    /// The number of the last row that it has got.
    var delivered: Int64
    /// The number of the audit's last row.
    var last: Int64
    /// When the oldest row was written that it has not got, in seconds since 1970; nil if it has all.
    var oldest: Int64?
  }

  private let figures = Mutex<[String: Figures]>([:])
  private let now: @Sendable () -> Int64

  /// - Parameter now: seconds since 1970.
  init(now: @escaping @Sendable () -> Int64) {
    self.now = now
  }

  /// Notes what was seen of a sink.
  func set(_ figures: Figures, of sink: String) { self.figures.withLock { $0[sink] = figures } }

  func write(to page: inout MetricsPage) {
    let now = now()
    let rows = figures.withLock { $0 }.sorted { $0.key < $1.key }.map { ([(name: "sink", value: $0.key)], $0.value) }
    page.begin(
      "uaf_audit_sink_delivered_number", .gauge, "The number of the last row that a sink of the audit has got.")
    for (labels, figures) in rows { page.add("uaf_audit_sink_delivered_number", labels, figures.delivered) }
    page.begin("uaf_audit_sink_lag_rows", .gauge, "Rows that a sink of the audit has not got yet.")
    for (labels, figures) in rows {
      page.add("uaf_audit_sink_lag_rows", labels, max(0, figures.last - figures.delivered))
    }
    page.begin("uaf_audit_sink_lag_seconds", .gauge, "Age of the oldest row that a sink of the audit has not got yet.")
    for (labels, figures) in rows {
      page.add("uaf_audit_sink_lag_seconds", labels, figures.oldest.map { max(0, now - $0) } ?? 0)
    }
  }
}
