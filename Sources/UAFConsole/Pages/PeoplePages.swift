import UAFAdministration
import UAFMessages
import UAFService

/// The accounts, and one of them.
enum PeoplePages {
  static func list(_ call: PageCall) async throws -> PageContent {
    let search = try PeopleSearch(call)
    let page = try await AccountAdministration(call.administration).page(
      search.query, group: search.group, by: call.caller)
    let rows = page.rows.map { row -> [PageCell] in
      let account = row.summary
      return [
        PageCall.personLink(account.username), PageCell(AccountStateForms.text(account.block, call)),
        PageCell(row.group ?? ""), PageCell(String(account.keys)), PageCell(String(account.revokedKeys)),
        PageCell(call.time(account.lastUsedAt)), PageCell(call.yesOrNo(account.hasOpenCode)),
      ]
    }
    let table = PageTable(
      caption: call.text(.people),
      columns: [.account, .state, .group, .keys, .revokedKeys, .lastUsed, .openCode].map(call.text), rows: rows,
      empty: call.text(.nothing),
      next: page.next.map { PeopleSearch.next($0, call) })
    var blocks: [PageBlock] = [.form(PeopleSearch.form(call)), .table(table)]
    if call.allows(.manageAccounts) {
      let name = PageField(name: "name", label: call.text(.accountName), isRequired: true, maximum: 128)
      blocks.append(
        .form(
          PageForm(
            title: call.text(.addAccount), action: "/console/people/add", button: call.text(.add), fields: [name])))
    }
    return PageContent(title: call.text(.people), blocks: blocks)
  }

  static func person(_ call: PageCall) async throws -> PageContent {
    let name = call.fields["name"]
    let account = try await AccountAdministration(call.administration).account(name, by: call.caller)
    let keys = try await KeyAdministration(call.administration).keys(of: name, by: call.caller)
    let facts: PageBlock = .facts([
      (call.text(.state), AccountStateForms.text(account.summary.block, call)),
      (call.text(.group), account.group ?? ""), (call.text(.lastUsed), call.time(account.summary.lastUsedAt)),
      (call.text(.openCode), call.yesOrNo(account.summary.hasOpenCode)),
    ])
    let table = keyTable(keys, call, column: .machine) { key in
      key.deviceID.map { PageCall.machineLink($0, key.deviceName) } ?? ""
    }
    let limits: PageBlock = .paragraph(call.text(.notDecidedHere))
    return PageContent(title: name, blocks: [facts, limits, .table(table)] + forms(name, keys, account.summary, call))
  }

  /// The keys of a person or of a machine.
  ///
  /// - Parameter other: what the first column has.
  static func keyTable(
    _ keys: [KeyRecord], _ call: PageCall, column: PageText, other: (KeyRecord) -> PageCell
  ) -> PageTable {
    let rows = keys.map { key -> [PageCell] in
      let state =
        key.revocation.map { call.language.text(.revokedBy, call.time($0.time), $0.by, $0.reason) }
        ?? call.text(.active)
      return [
        other(key), PageCell(key.aaid.text), PageCell(key.keyID.text), PageCell(call.time(key.registeredAt)),
        PageCell(call.time(key.lastUsedAt)), PageCell(String(key.signCounter)),
        PageCell(key.origin.issuedBy ?? ""), PageCell(call.yesOrNo(key.countsForSteps)), PageCell(state),
      ]
    }
    return PageTable(
      caption: call.text(.keys),
      columns: [column, .model, .keyID, .registered, .lastUsed, .counter, .issuedBy, .countsForSteps, .state].map(
        call.text),
      rows: rows,
      empty: call.text(.nothing))
  }

  private static func forms(
    _ name: String, _ keys: [KeyRecord], _ account: AccountSummary, _ call: PageCall
  ) -> [PageBlock] {
    let who = PageField.hidden("name", name)
    var forms: [PageForm] = []
    if call.allows(.enrol) {
      let lifetime = PageField(
        name: "lifetime", label: call.text(.lifetime), kind: .number,
        value: String(EnrolmentAdministration.standardLifetime), isRequired: true)
      forms.append(
        PageForm(
          title: call.text(.enrol), action: "/console/person/enrol", button: call.text(.issueCode),
          fields: [who, lifetime]))
      if account.hasOpenCode {
        forms.append(
          PageForm(
            title: call.text(.closeCode), action: "/console/person/close-code", button: call.text(.close),
            fields: [who]))
      }
    }
    if let unlock = UnlockPages.form(name, keys, call) { forms.append(unlock) }
    forms += revocations(name, keys, call) + AccountStateForms.forms(name, account.block, call)
    if call.allows(.manageAccounts) {
      forms.append(
        PageForm(
          title: call.text(.deleteAccount), action: "/console/person/delete", button: call.text(.delete),
          fields: [who, call.reasonField], isDangerous: true))
    }
    return forms.map(PageBlock.form)
  }

  private static func revocations(_ name: String, _ keys: [KeyRecord], _ call: PageCall) -> [PageForm] {
    let who = PageField.hidden("name", name)
    var forms: [PageForm] = []
    let usable = keys.filter { $0.revocation == nil }
    if call.allows(.revoke), !usable.isEmpty {
      let key = PageField(
        name: "key", label: call.text(.keyID),
        kind: .choice(usable.map { ("\($0.aaid.text) \($0.keyID.text)", "\($0.deviceName ?? "") \($0.keyID.text)") }))
      forms.append(
        PageForm(
          title: call.text(.revokeKey), action: "/console/person/revoke", button: call.text(.revoke),
          fields: [who, key, call.reasonField], isDangerous: true))
      forms.append(
        PageForm(
          title: call.text(.revokeAll), action: "/console/person/revoke-all", button: call.text(.revoke),
          fields: [who, call.reasonField], isDangerous: true))
    }
    return forms
  }

  /// A code that was issued, shown once.
  static func issued(_ payload: IssuedPayload, title: PageText, how: PageText?, _ call: PageCall) -> PageContent {
    let line = payload.payload.encoded
    let label = call.text(how == nil ? .payloadLine : .enrolLine)
    var blocks: [PageBlock] = [
      .paragraph(call.language.text(title, payload.payload.username, call.time(payload.payload.expires)))
    ]
    if let how { blocks.append(.paragraph(call.text(how))) }
    blocks.append(.code(line, label: label))
    if let picture = QRCode(line) { blocks.append(.picture(picture, label: call.text(.payloadPicture))) }
    return PageContent(title: payload.payload.username, blocks: blocks)
  }
}
