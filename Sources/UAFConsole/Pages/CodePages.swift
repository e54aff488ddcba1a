import UAFAdministration
import UAFService

/// Enrolment codes that were given out, and texts that wait to be confirmed.
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

  /// One text; one that waits can be closed.
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
