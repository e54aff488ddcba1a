import UAFAdministration
import UAFService

/// The audit, newest rows first, and one row.
enum AuditRowPages {
  static func list(_ call: PageCall) async throws -> PageContent {
    let filter = try AuditSearch.filter(call)
    let page = try await AuditAdministration(call.administration).page(filter, by: call.caller)
    let next = page.next.map { AuditSearch.next($0, call) }
    return PageContent(
      title: call.text(.audit),
      blocks: [.form(AuditSearch.form(call)), .table(table(page, caption: call.text(.audit), next: next, call))])
  }

  static func table(_ page: Page<AuditRow>, caption: String, next: PageCell?, _ call: PageCall) -> PageTable {
    let rows = page.rows.map { row -> [PageCell] in
      let event = row.event
      return [
        PageCell(String(row.number), link: "/console/audit/row?number=\(row.number)"), PageCell(call.time(event.time)),
        PageCell(event.kind.rawValue), PageCell(event.outcome), PageCell(event.account), PageCell(event.actor),
        PageCell(event.machine),
      ]
    }
    return PageTable(
      caption: caption, columns: [.number, .time, .kind, .outcome, .account, .actor, .machine].map(call.text),
      rows: rows, empty: call.text(.nothing), next: next)
  }

  static func row(_ call: PageCall) async throws -> PageContent {
    let row = try await AuditAdministration(call.administration).row(try call.number("number"), by: call.caller)
    let event = row.event
    return PageContent(
      title: call.language.text(.auditRow, String(row.number)),
      blocks: [
        .facts([
          (call.text(.time), call.time(event.time)), (call.text(.kind), event.kind.rawValue),
          (call.text(.outcome), event.outcome), (call.text(.account), event.account),
          (call.text(.actor), event.actor), (call.text(.address), event.address),
          (call.text(.machine), event.machine), (call.text(.authenticators), event.authenticators),
          (call.text(.detail), event.detail),
        ])
      ])
  }
}
