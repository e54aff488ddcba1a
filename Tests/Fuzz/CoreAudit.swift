@testable import UAFHelper

/// An audit that refuses a record that could be read as two.
struct CoreAudit: AuditSink {
  func write(_ records: [AuditRecord]) -> CInt {
    for record in records {
      let text = record.text(program: "/usr/libexec/pam-uaf/uaf-helper")
      precondition(text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "'") }, "not one field")
    }
    return 0
  }
}
