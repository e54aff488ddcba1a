@testable import UAFHelper

/// Records that are kept, or refused.
final class RecordedAudit: AuditSink {
  private(set) var records: [AuditRecord] = []
  /// The answer to every record.
  var failure: CInt = 0
  /// Called before anything is kept.
  var onWrite: (() -> Void)?

  func write(_ records: [AuditRecord]) -> CInt {
    onWrite?()
    if failure == 0 { self.records += records }
    return failure
  }
}
