import UAFService

/// How the server's store and the sinks of its audit stand.
package struct ServerStanding: Equatable, Sendable {
  /// How far a sink has come.
  package struct Sink: Equatable, Sendable {
    package let name: String
    /// The last row that it has got; 0 for none.
    package let delivered: Int64
    /// When the oldest row was written that it has not got, in seconds since 1970; nil if it has all.
    package let waitingSince: Int64?
  }

  /// The audit's last row.
  package let lastRow: Int64
  /// When a backup was restored last, in seconds since 1970; nil if none was.
  package let restoredAt: Int64?
  /// Those that were ever sent to.
  package let sinks: [Sink]

  /// Reads how they stand.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package static func read(_ environment: AdministrationEnvironment, by caller: Caller) async throws -> ServerStanding {
    try caller.require(.read)
    return try await environment.read { records in
      let sinks = try records.auditDeliveries.all().map { delivery in
        let next = try records.audit.rows(AuditFilter(after: delivery.delivered), limit: 1).first
        return Sink(name: delivery.sink, delivered: delivery.delivered, waitingSince: next?.event.time)
      }
      let restored = try records.settings.value(of: .restoredAt).flatMap { Int64($0) }
      return ServerStanding(lastRow: try records.audit.last().number, restoredAt: restored, sinks: sinks)
    }
  }
}
