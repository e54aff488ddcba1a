import UAFAdministration
import UAFMessages
import UAFService

/// The pages with the issued enrolment codes, and with the texts that people are asked to confirm.
enum CodePages {
  static func codes(_ call: PageCall) async throws -> PageContent {
    let page = try await EnrolmentAdministration(call.administration).page(
      before: Int64(call.fields["before"]), onlyOpen: false, by: call.caller)
    let total = try await EnrolmentAdministration(call.administration).total(by: call.caller)
    let rows = page.rows.map { code -> [PageCell] in
      let state =
        code.isOpen
        ? call.state(.open, .good, .clock)
        : code.usedAt == nil ? call.state(.closed, .quiet, .ban) : call.state(.usedState, .quiet, .check)
      return [
        PageCell(String(code.number)), PageCall.personLink(code.username), PageCell(call.actor(code.issuedBy)),
        call.moment(code.issuedAt), call.moment(code.expiresAt), PageCell("", kind: .state(state)),
        call.moment(code.usedAt), closing(code, call),
      ]
    }
    let columns: [PageText] = [.number, .account, .issuedBy, .issuedAt, .expires, .state, .used]
    let table = PageTable(
      caption: call.text(.codes), columns: columns.map(call.text) + [""], rows: rows, empty: call.text(.noCodes),
      first: call.first("/console/codes"),
      next: page.next.map { call.next("/console/codes", [("before", $0)], after: rows.count) },
      count: call.count(rows.count, hasMore: page.next != nil, of: total),
      order: call.order(columns: columns.count, keeping: ["before", PageCall.fromName]), hidesCaption: true)
    var head = PageHead()
    if call.allows(.enrol) {
      head.primary = call.action(.issueEnrolment, "/console/person/enrol", .plus)
      head.more = [call.action(.enrolList, ListPages.path)]
    }
    return PageContent(title: call.text(.codes), head: head, blocks: [.table(table)])
  }

  private static func closing(_ code: IssuedCode, _ call: PageCall) -> PageCell {
    guard code.isOpen, call.allows(.enrol) else { return "" }
    return PageCell(
      call.text(.close), link: PageCall.link("/console/person/close-code", [("name", code.username)]))
  }

  static func approvals(_ call: PageCall) async throws -> PageContent {
    let page = try await ApprovalAdministration(call.administration).page(
      before: Int64(call.fields["before"]), by: call.caller)
    let total = try await ApprovalAdministration(call.administration).total(by: call.caller)
    let rows = page.rows.map { approval -> [PageCell] in
      [
        PageCell(String(approval.id), link: "/console/approval?number=\(approval.id)"),
        PageCall.personLink(approval.username), PageCell(approval.shown), call.moment(approval.expiresAt),
        PageCell("", kind: .state(state(approval.outcome, call))),
      ]
    }
    let columns: [PageText] = [.number, .account, .text, .expires, .outcome]
    let table = PageTable(
      caption: call.text(.approvals), columns: columns.map(call.text), rows: rows, empty: call.text(.noApprovals),
      first: call.first("/console/approvals"),
      next: page.next.map { call.next("/console/approvals", [("before", $0)], after: rows.count) },
      count: call.count(rows.count, hasMore: page.next != nil, of: total),
      order: call.order(columns: columns.count, keeping: ["before", PageCall.fromName]), hidesCaption: true)
    var head = PageHead()
    if call.allows(.approve) { head.primary = call.action(.askApproval, "/console/approvals/ask", .plus) }
    return PageContent(title: call.text(.approvals), head: head, blocks: [.table(table)])
  }

  private static func state(_ outcome: ApprovalOutcome, _ call: PageCall) -> PageState {
    switch outcome {
    case .open: call.state(.open, .quiet, .clock)
    case .confirmed: call.state(.confirmed, .good, .check)
    case .denied: call.state(.denied, .bad, .cross)
    case .closed: call.state(.closed, .quiet, .ban)
    }
  }

  /// The page of one text.
  static func approval(_ call: PageCall) async throws -> PageContent {
    let number = try call.number("number")
    let approval = try await ApprovalAdministration(call.administration).approval(number, by: call.caller)
    var head = PageHead(states: [state(approval.outcome, call)])
    if call.allows(.approve), approval.outcome == .open {
      head.dangerous = [call.action(.closeApproval, "/console/approvals/close?number=\(number)")]
    }
    return PageContent(
      title: call.language.text(.approvalNumber, String(number)), head: head,
      blocks: [
        .details([
          (call.text(.account), PageCall.personLink(approval.username)), (call.text(.text), PageCell(approval.shown)),
          (call.text(.expires), call.moment(approval.expiresAt)),
        ])
      ])
  }
}

/// The codes with which machines join.
enum JoinCodePages {
  static let path = "/console/join-codes"
  static let issuePath = "/console/join-codes/issue"
  static let closePath = "/console/join-codes/close"

  static func list(_ call: PageCall) async throws -> PageContent {
    let page = try await JoinCodeAdministration(call.administration).page(
      before: Int64(call.fields["before"]), by: call.caller)
    let now = call.environment.now
    let rows = page.rows.map { code -> [PageCell] in
      let state = code.state(at: now)
      let isOpen = state == .open
      let close = PageCell(
        call.text(.close), kind: .button(action: closePath, field: .hidden("number", String(code.number))))
      return [
        PageCell(String(code.number)), PageCell(code.group), PageCell(String(code.machines)),
        PageCell(String(code.used)), PageCell(call.actor(code.issuedBy)), call.moment(code.issuedAt),
        call.moment(code.expiresAt), call.state(text(state), isOpen ? .good : .quiet, isOpen ? .clock : .ban),
        isOpen && call.allows(.joinMachines) ? close : "",
      ]
    }
    let columns: [PageText] = [
      .number, .group, .mayJoin, .haveJoined, .issuedBy, .issuedAt, .expires, .state,
    ]
    let table = PageTable(
      caption: call.text(.joinCodes), columns: columns.map(call.text) + [""], rows: rows,
      empty: call.text(.noJoinCodes),
      next: page.next.map { call.next(path, [("before", $0)]) },
      count: call.count(rows.count, hasMore: page.next != nil),
      order: call.order(columns: columns.count, keeping: ["before"]), hidesCaption: true)
    var head = PageHead()
    if call.allows(.joinMachines) { head.primary = call.action(.joinCodeIssue, issuePath, .plus) }
    return PageContent(title: call.text(.joinCodes), head: head, blocks: [.table(table)])
  }

  private static func text(_ state: JoinCode.State) -> PageText {
    switch state {
    case .open: .open
    case .usedUp: .usedUp
    case .expired: .expired
    case .closed: .closed
    }
  }

  /// The page with the form for a new code.
  static func issuing(_ call: PageCall) -> PageContent {
    let fields = [
      PageField(
        name: "group", label: call.text(.group), value: MachineGroup.standard.name, isRequired: true, maximum: 64),
      PageField(name: "machines", label: call.text(.mayJoin), kind: .number, value: "1", isRequired: true),
      call.lengthField("lifetime", .lifetime, JoinCodeAdministration.standardLifetime),
    ]
    return call.stepPage(
      title: call.text(.joinCodeIssue), sentence: call.text(.willIssueJoinCode), isSigned: false,
      form: PageForm(
        title: call.text(.joinCodeIssue), action: issuePath, button: call.text(.issueCode), fields: fields,
        cancel: PageCell(call.text(.cancel), link: path)))
  }

  /// The page with the form that closes the code in the query.
  static func closing(_ call: PageCall) throws(AdministrationRefusal) -> PageContent {
    let number = String(try call.number("number"))
    return call.stepPage(
      title: call.text(.joinCodeClose), sentence: call.language.text(.willCloseJoinCode, number), isSigned: false,
      form: PageForm(
        title: call.text(.joinCodeClose), action: closePath, button: call.text(.close),
        fields: [.hidden("number", number)], isDangerous: true, cancel: PageCell(call.text(.cancel), link: path)))
  }

  /// Issues a code, which the page shows once.
  static func issue(_ call: PageCall) async throws -> PageContent {
    let issued = try await JoinCodeAdministration(call.administration).issue(
      group: call.fields["group"], machines: call.number("machines"), lifetime: call.length("lifetime"),
      by: call.caller)
    let (group, end) = (issued.payload.group.name, call.time(issued.payload.expires))
    return PageContent(
      title: call.text(.joinCodeIssue),
      blocks: [
        .paragraph(call.language.text(.joinCodeMade, group, String(issued.machines), end)),
        .paragraph(call.text(.joinCodeHow)), call.code(issued.payload.encoded, label: call.text(.joinCodeLine)),
        call.code("sudo uafctl join --payload FILE", label: call.text(.joinCommand)),
        .facts([(call.text(.codeNumber), String(issued.number)), (call.text(.fingerprint), issued.fingerprint)]),
      ])
  }
}
