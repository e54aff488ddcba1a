import UAFAdministration
import UAFMessages
import UAFService

/// The pages with the issued enrolment codes, and with the texts that people are asked to confirm.
enum CodePages {
  static func codes(_ call: PageCall) async throws -> PageContent {
    let page = try await EnrolmentAdministration(call.administration).page(
      before: Int64(call.fields["before"]), onlyOpen: false, by: call.caller)
    let rows = page.rows.map { code -> [PageCell] in
      let state: PageText = code.isOpen ? .open : code.usedAt == nil ? .closed : .used
      return [
        PageCell(String(code.number)), PageCall.personLink(code.username), PageCell(code.issuedBy),
        PageCell(call.time(code.issuedAt)), PageCell(call.time(code.expiresAt)), PageCell(call.text(state)),
        PageCell(call.time(code.usedAt)),
      ]
    }
    let table = PageTable(
      caption: call.text(.codes),
      columns: [.number, .account, .issuedBy, .issuedAt, .expires, .state, .used].map(call.text), rows: rows,
      empty: call.text(.nothing), next: page.next.map { call.next("/console/codes", [("before", $0)]) })
    var blocks: [PageBlock] = [.table(table)]
    if call.allows(.enrol) {
      let fields = [
        PageField(name: "name", label: call.text(.accountName), isRequired: true, maximum: 128),
        PageField(
          name: "lifetime", label: call.text(.lifetime), kind: .number,
          value: String(EnrolmentAdministration.standardLifetime), isRequired: true),
      ]
      blocks.append(
        .form(
          PageForm(
            title: call.text(.enrol), action: "/console/person/enrol", button: call.text(.issueCode), fields: fields)))
    }
    return PageContent(title: call.text(.codes), blocks: blocks)
  }

  static func approvals(_ call: PageCall) async throws -> PageContent {
    let page = try await ApprovalAdministration(call.administration).page(
      before: Int64(call.fields["before"]), by: call.caller)
    let rows = page.rows.map { approval -> [PageCell] in
      [
        PageCell(String(approval.id), link: "/console/approval?number=\(approval.id)"),
        PageCall.personLink(approval.username), PageCell(approval.shown), PageCell(call.time(approval.expiresAt)),
        PageCell(call.text(outcome(approval.outcome))),
      ]
    }
    let table = PageTable(
      caption: call.text(.approvals), columns: [.number, .account, .text, .expires, .outcome].map(call.text),
      rows: rows, empty: call.text(.nothing), next: page.next.map { call.next("/console/approvals", [("before", $0)]) })
    var blocks: [PageBlock] = [.table(table)]
    if call.allows(.approve) {
      let fields = [
        PageField(name: "name", label: call.text(.accountName), isRequired: true, maximum: 128),
        PageField(name: "text", label: call.text(.text), isRequired: true, maximum: 200),
      ]
      blocks.append(
        .form(
          PageForm(
            title: call.text(.askApproval), action: "/console/approvals/ask", button: call.text(.ask), fields: fields)))
    }
    return PageContent(title: call.text(.approvals), blocks: blocks)
  }

  private static func outcome(_ outcome: ApprovalOutcome) -> PageText {
    switch outcome {
    case .open: .open
    case .confirmed: .confirmed
    case .denied: .denied
    case .closed: .closed
    }
  }

  /// The page of one text, with a form that closes it if it is still waiting.
  static func approval(_ call: PageCall) async throws -> PageContent {
    let number = try call.number("number")
    let approval = try await ApprovalAdministration(call.administration).approval(number, by: call.caller)
    var blocks: [PageBlock] = [
      .facts([
        (call.text(.account), approval.username), (call.text(.text), approval.shown),
        (call.text(.expires), call.time(approval.expiresAt)),
        (call.text(.outcome), call.text(outcome(approval.outcome))),
      ])
    ]
    if call.allows(.approve), approval.outcome == .open {
      blocks.append(
        .form(
          PageForm(
            title: call.text(.closeApproval), action: "/console/approvals/close", button: call.text(.close),
            fields: [.hidden("number", String(number))], isDangerous: true)))
    }
    return PageContent(title: call.language.text(.approvalNumber, String(number)), blocks: blocks)
  }
}

/// The codes with which machines join, a part of the page of machines.
enum JoinCodePages {
  /// The issued codes, and the forms for those who may change them.
  static func blocks(_ call: PageCall) async throws -> [PageBlock] {
    let page = try await JoinCodeAdministration(call.administration).page(
      before: Int64(call.fields["before"]), by: call.caller)
    let now = call.environment.now
    let rows = page.rows.map { code -> [PageCell] in
      [
        PageCell(String(code.number)), PageCell(code.group), PageCell(String(code.machines)),
        PageCell(String(code.used)), PageCell(code.issuedBy), PageCell(call.time(code.issuedAt)),
        PageCell(call.time(code.expiresAt)), PageCell(call.text(text(code.state(at: now)))),
      ]
    }
    let table = PageTable(
      caption: call.text(.joinCodes),
      columns: [.number, .group, .mayJoin, .haveJoined, .issuedBy, .issuedAt, .expires, .state].map(call.text),
      rows: rows, empty: call.text(.nothing), next: page.next.map { call.next("/console/machines", [("before", $0)]) })
    guard call.allows(.joinMachines) else { return [.table(table)] }
    return [.table(table), .form(issuing(call)), .form(closing(call))]
  }

  private static func text(_ state: JoinCode.State) -> PageText {
    switch state {
    case .open: .open
    case .usedUp: .usedUp
    case .expired: .expired
    case .closed: .closed
    }
  }

  private static func issuing(_ call: PageCall) -> PageForm {
    let fields = [
      PageField(
        name: "group", label: call.text(.group), value: MachineGroup.standard.name, isRequired: true, maximum: 64),
      PageField(name: "machines", label: call.text(.mayJoin), kind: .number, value: "1", isRequired: true),
      PageField(
        name: "lifetime", label: call.text(.lifetime), kind: .number,
        value: String(JoinCodeAdministration.standardLifetime), isRequired: true),
    ]
    return PageForm(
      title: call.text(.joinCodeIssue), action: "/console/join-codes/issue", button: call.text(.issueCode),
      fields: fields)
  }

  private static func closing(_ call: PageCall) -> PageForm {
    PageForm(
      title: call.text(.joinCodeClose), action: "/console/join-codes/close", button: call.text(.close),
      fields: [PageField(name: "number", label: call.text(.number), kind: .number, isRequired: true)],
      isDangerous: true)
  }

  /// Issues a code, which the page shows once.
  static func issue(_ call: PageCall) async throws -> PageContent {
    let issued = try await JoinCodeAdministration(call.administration).issue(
      group: call.fields["group"], machines: call.number("machines"), lifetime: call.number("lifetime"),
      by: call.caller)
    let (group, end) = (issued.payload.group.name, call.time(issued.payload.expires))
    return PageContent(
      title: call.text(.joinCodeIssue),
      blocks: [
        .paragraph(call.language.text(.joinCodeMade, group, String(issued.machines), end)),
        .paragraph(call.text(.joinCodeHow)), .code(issued.payload.encoded, label: call.text(.joinCodeLine)),
        .facts([(call.text(.codeNumber), String(issued.number)), (call.text(.fingerprint), issued.fingerprint)]),
      ])
  }
}
