import UAFService

/// A program elsewhere that gets each row of the audit.
protocol RowSink: Sendable {
  /// The name of its place in the store, its metrics and its log lines.
  var name: String { get }

  /// Sends rows, and returns when the other side has them.
  ///
  /// - Throws: ``SinkFailure`` if it is not known that the other side has all of them.
  func send(_ rows: [AuditRow]) async throws(SinkFailure)

  /// Ends what is open; nothing is sent after that.
  func close() async
}
