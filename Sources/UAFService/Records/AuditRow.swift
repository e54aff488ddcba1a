/// One row of the audit.
package struct AuditRow: Equatable, Sendable {
  package let link: AuditLink
  package let event: AuditEntry

  package init(link: AuditLink, event: AuditEntry) {
    self.link = link
    self.event = event
  }

  package var number: Int64 { link.number }
}
