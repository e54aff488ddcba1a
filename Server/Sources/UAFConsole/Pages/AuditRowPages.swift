import UAFAdministration
import UAFMessages
import UAFService

/// The pages with the rows of the audit, newest first, and with a single row.
enum AuditRowPages {
  static func list(_ call: PageCall) async throws -> PageContent {
    let filter = try AuditSearch.filter(call)
    let page = try await AuditAdministration(call.administration).page(filter, by: call.caller)
    let total = try await AuditAdministration(call.administration).total(filter, by: call.caller)
    let next = page.next.map { AuditSearch.next($0, after: page.rows.count, call) }
    var table = table(page, caption: call.text(.audit), next: next, call)
    table.count = call.count(page.rows.count, hasMore: page.next != nil, of: total)
    table.first = AuditSearch.first(call)
    table.hidesCaption = true
    return PageContent(
      title: call.text(.audit),
      blocks: [
        .search(AuditSearch.search(call)),
        .table(table),
      ])
  }

  static func table(_ page: Page<AuditRow>, caption: String, next: PageCell?, _ call: PageCall)
    -> PageTable
  {
    let rows = page.rows.map { row -> [PageCell] in
      let event = row.event
      return [
        PageCell(String(row.number), link: "/console/audit/row?number=\(row.number)"), call.moment(event.time),
        PageCell(call.language.text(event.kind), note: means(event, call)), outcome(event.outcome, call),
        PageCell(event.account),
        PageCell(call.actor(event.actor)), PageCell(PageCell.shortened(event.machine)),
      ]
    }
    return PageTable(
      caption: caption,
      columns: [.number, .time, .kind, .outcome, .account, .actor, .machine].map(call.text),
      rows: rows, empty: call.text(.noRows), next: next)
  }

  /// The service, as the machine has named it, and what the authenticators are called; empty if the row has neither.
  private static func means(_ event: AuditEntry, _ call: PageCall) -> String {
    ([event.service].compactMap { $0 } + event.models.map(call.language.usedAuthenticator)).joined(separator: ", ")
  }

  private static func outcome(_ outcome: String, _ call: PageCall) -> PageCell {
    let isDone = outcome == AuditEntry.done
    return PageCell(
      "",
      kind: .state(
        PageState(word: call.language.outcome(outcome), tone: isDone ? .good : .bad, icon: isDone ? .check : .cross)))
  }

  static func row(_ call: PageCall) async throws -> PageContent {
    let row = try await AuditAdministration(call.administration).row(try call.number("number"), by: call.caller)
    let event = row.event
    func text(_ value: String) -> PageCell { PageCell(value.isEmpty ? call.text(.none) : value) }
    return PageContent(
      title: call.language.text(.auditRow, String(row.number)),
      blocks: [
        .details([
          (call.text(.time), call.moment(event.time)),
          (call.text(.kind), PageCell(call.language.text(event.kind), note: event.kind.rawValue)),
          (call.text(.outcome), outcome(event.outcome, call)),
          (call.text(.account), event.account.isEmpty ? text("") : PageCall.personLink(event.account)),
          (call.text(.actor), text(call.actor(event.actor))), (call.text(.address), text(event.address)),
          (call.text(.machine), text(event.machine)),
          (
            call.text(.service), event.service.map { PageCell($0, note: call.text(.saidByMachine)) } ?? text("")
          ),
          (
            call.text(.authenticators),
            event.models.isEmpty
              ? text("")
              : PageCell(
                event.models.map(call.language.usedAuthenticator).joined(separator: ", "), note: event.authenticators)
          ),
          (call.text(.detail), text(event.detail)),
        ])
      ])
  }
}

/// The search in the audit: its form, and the filter for the store.
enum AuditSearch {
  private static let fields: [(field: AuditField, text: PageText)] = [
    (.account, .account), (.kind, .kind), (.outcome, .outcome), (.machine, .machine), (.service, .service),
    (.words, .words),
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
    filter.service = call.value("service")
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

  /// The box for an account, the usual kinds and outcomes as chips, and the further fields.
  static func search(_ call: PageCall) -> PageSearch {
    let negations =
      [(value: "", text: call.text(.none))] + fields.map { (value: $0.field.rawValue, text: call.text($0.text)) }
    let kinds =
      [(value: "", text: call.text(.allOfThem))]
      + AuditWords.kinds.keys.sorted { $0.rawValue < $1.rawValue }.map { ($0.rawValue, call.language.text($0)) }
    func field(_ name: String, _ label: PageText) -> PageField {
      PageField(name: name, label: call.text(label), value: call.fields[name])
    }
    return PageSearch(
      action: "/console/audit", button: call.text(.search), box: field("account", .account), chips: chips(call),
      chipTitle: call.text(.kind), moreTitle: call.text(.moreFilters),
      more: [
        PageField(name: "kind", label: call.text(.kind), kind: .choice(kinds), value: call.fields["kind"]),
        field("outcome", .outcome), field("machine", .machine), field("service", .service),
        field("words", .words),
        PageField(name: "not", label: call.text(.leaveOut), kind: .choice(negations), value: call.fields["not"]),
        PageField(name: "since", label: call.text(.since), value: call.fields["since"], maximum: 20),
        PageField(name: "until", label: call.text(.until), value: call.fields["until"], maximum: 20),
      ])
  }

  /// The usual searches; the account and the times stay.
  private static func chips(_ call: PageCall) -> [PageSearch.Chip] {
    let kept = ["account", "since", "until"].map { ($0, call.fields[$0]) }
    let choices: [(word: PageText, parts: [(String, String)])] = [
      (.allOfThem, []), (.logins, [("kind", AuditKind.login.rawValue)]),
      (.failedLogins, [("kind", AuditKind.login.rawValue), ("outcome", AuditEntry.done), ("not", "outcome")]),
    ]
    return choices.map { word, parts in
      let isChosen = ["kind", "outcome", "not"].allSatisfy { name in
        call.fields[name] == (parts.first { $0.0 == name }?.1 ?? "")
      }
      return PageSearch.Chip(
        text: call.text(word), link: PageCall.link("/console/audit", kept + parts), isChosen: isChosen)
    }
  }

  /// A link to the next page, with the same search.
  static func next(_ before: String, after rows: Int, _ call: PageCall) -> PageCell {
    call.next(
      "/console/audit", names.map { ($0, call.fields[$0]) } + [("before", before)], after: rows)
  }

  /// A link to the first page, with the same search; nil on that page.
  static func first(_ call: PageCall) -> PageCell? {
    call.first("/console/audit", names.map { ($0, call.fields[$0]) })
  }
}
