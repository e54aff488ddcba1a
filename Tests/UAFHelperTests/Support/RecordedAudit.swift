@testable import UAFHelper

/// Keeps audit records, or refuses them.
final class RecordedAudit: AuditSink {
  private(set) var records: [AuditRecord] = []
  /// The error number with which every record is answered.
  var failure: CInt = 0
  /// Called before a record is kept.
  var onWrite: (() -> Void)?

  func write(_ records: [AuditRecord]) -> CInt {
    onWrite?()
    if failure == 0 { self.records += records }
    return failure
  }
}
