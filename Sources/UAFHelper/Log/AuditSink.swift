/// Where the records for the kernel's audit go.
protocol AuditSink {
  /// Writes records, as far as it goes.
  ///
  /// - Returns: 0, or the error number of the first one that could not be written.
  func write(_ records: [AuditRecord]) -> CInt
}
