import UAFAdministration
import UAFService

/// The pages with the rows of the audit, newest first, and with a single row.
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

/// The search in the audit: its form, and the filter for the store.
enum AuditSearch {
  private static let fields: [(field: AuditField, text: PageText)] = [
    (.account, .account), (.kind, .kind), (.outcome, .outcome), (.machine, .machine), (.words, .words),
  ]
  private static let names = fields.map(\.field.rawValue) + ["not", "since", "until"]

  /// Makes the filter from the fields of a request; the newest rows come first.
  ///
  /// - Throws: ``AdministrationRefusal/invalid(field:_:)``.
  static func filter(_ call: PageCall) throws(AdministrationRefusal) -> AuditFilter {
    var filter = AuditFilter(
      account: call.value("account"), kind: call.value("kind").map { AuditKind(rawValue: $0) },
      outcome: call.value("outcome"), since: try call.time("since"), until: try call.time("until"),
      machine: call.value("machine"))
    filter.words = call.value("words")
    if let negated = call.value("not") {
      guard let field = AuditField(rawValue: negated) else { throw .invalid(field: "not", .unknown) }
      guard call.value(negated) != nil else {
        throw .invalid(field: "not", .emptyFilter)
      }
      filter.negated = [field]
    }
    filter.isNewestFirst = true
    filter.before = Int64(call.fields["before"])
    return filter
  }

  static func form(_ call: PageCall) -> PageForm {
    let negations =
      [(value: "", text: call.text(.none))] + fields.map { (value: $0.field.rawValue, text: call.text($0.text)) }
    return PageForm(
      title: call.text(.filter), action: "/console/audit", button: call.text(.search),
      fields: fields.map { item in
        let name = item.field.rawValue
        return PageField(name: name, label: call.text(item.text), value: call.fields[name])
      } + [
        PageField(name: "not", label: call.text(.leaveOut), kind: .choice(negations), value: call.fields["not"]),
        PageField(name: "since", label: call.text(.since), value: call.fields["since"], maximum: 20),
        PageField(name: "until", label: call.text(.until), value: call.fields["until"], maximum: 20),
      ], isSearch: true)
  }

  /// A link to the next page, with the same search.
  static func next(_ before: String, _ call: PageCall) -> PageCell {
    call.next("/console/audit", names.map { ($0, call.fields[$0]) } + [("before", before)])
  }
}
