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
