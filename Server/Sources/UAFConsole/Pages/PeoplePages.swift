import UAFAdministration
import UAFMessages
import UAFService

/// The pages with the accounts, and with a single account.
enum PeoplePages {
  static func list(_ call: PageCall) async throws -> PageContent {
    let search = try PeopleSearch(call)
    let page = try await AccountAdministration(call.administration).page(
      search.query, group: search.group, of: search.people, by: call.caller)
    let rows = page.rows.map { row -> [PageCell] in
      let account = row.summary
      return [
        PageCall.personLink(account.username), PageCell(account.profile.displayName ?? ""),
        PageCell(account.profile.mail ?? ""), PageCell(account.profile.department ?? ""),
        PageCell(AccountStateForms.text(account.block, call)),
        PageCell(row.group ?? ""), PageCell(String(account.keys)), PageCell(String(account.revokedKeys)),
        PageCell(call.time(account.lastUsedAt)), PageCell(call.yesOrNo(account.hasOpenCode)),
      ]
    }
    let table = PageTable(
      caption: call.text(.people),
      columns: [.account, .displayName, .mail, .department, .state, .group, .keys, .revokedKeys, .lastUsed, .openCode]
        .map(call.text), rows: rows,
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
    let profile = account.summary.profile
    let person = ProfileField.allCases.compactMap { field in
      profile[field].map { (call.text(ProfileForm.label(field)), $0) }
    }
    let groups = profile.groups.isEmpty ? [] : [(call.text(.groups), profile.groups.joined(separator: ", "))]
    let facts: PageBlock = .facts(
      person + groups + [
        (call.text(.state), AccountStateForms.text(account.summary.block, call)),
        (call.text(.group), account.group ?? ""), (call.text(.lastUsed), call.time(account.summary.lastUsedAt)),
        (call.text(.openCode), call.yesOrNo(account.summary.hasOpenCode)),
      ])
    let table = keyTable(keys, call, column: .machine) { key in
      key.deviceID.map { PageCall.machineLink($0, key.deviceName) } ?? ""
    }
    let passkeys = try await KeyAdministration(call.administration).passkeys(of: name, by: call.caller)
    let limits: PageBlock = .paragraph(call.text(.notDecidedHere))
    let tables = passkeys.isEmpty ? [table] : (keys.isEmpty ? [] : [table]) + [passkeyTable(passkeys, call)]
    return PageContent(
      title: name,
      blocks: [facts, limits] + tables.map(PageBlock.table) + forms(name, keys, passkeys, account.summary, call))
  }

  /// The table with the keys of a person or of a machine.
  ///
  /// - Parameter other: makes the cell of a key in the first column.
  static func keyTable(
    _ keys: [KeyRecord], _ call: PageCall, column: PageText, other: (KeyRecord) -> PageCell
  ) -> PageTable {
    let rows = keys.map { key -> [PageCell] in
      [
        other(key), PageCell(key.aaid.text), PageCell(key.keyID.text), PageCell(call.time(key.registeredAt)),
        PageCell(call.time(key.lastUsedAt)), PageCell(String(key.signCounter)),
        PageCell(key.origin.issuedBy ?? ""), PageCell(call.yesOrNo(key.countsForSteps)),
        PageCell(state(key.revocation, call)),
      ]
    }
    return PageTable(
      caption: call.text(.keys),
      columns: [column, .model, .keyID, .registered, .lastUsed, .counter, .issuedBy, .countsForSteps, .state].map(
        call.text),
      rows: rows,
      empty: call.text(.nothing))
  }

  private static func passkeyTable(_ passkeys: [PasskeyRecord], _ call: PageCall) -> PageTable {
    let rows = passkeys.map { passkey -> [PageCell] in
      let copies: PageText =
        passkey.isBackupEligible ? (passkey.isBackedUp ? .backedUp : .mayBeBackedUp) : .onOneDevice
      let attested = passkey.isAttested ? call.administration.models.passkeys.name(of: passkey.aaguid) : nil
      return [
        PageCell(passkey.idText), PageCell(attested ?? passkey.aaguid.description), PageCell(call.text(copies)),
        PageCell(call.time(passkey.registeredAt)), PageCell(call.time(passkey.lastUsedAt)),
        PageCell(String(passkey.signCounter)), PageCell(passkey.origin.issuedBy ?? ""),
        PageCell(call.yesOrNo(passkey.countsForSteps)), PageCell(state(passkey.revocation, call)),
      ]
    }
    return PageTable(
      caption: call.text(.passkeys),
      columns: [.keyID, .model, .copies, .registered, .lastUsed, .counter, .issuedBy, .countsForSteps, .state].map(
        call.text),
      rows: rows, empty: call.text(.nothing))
  }

  private static func state(_ revocation: Revocation?, _ call: PageCall) -> String {
    revocation.map { call.language.text(.revokedBy, call.time($0.time), $0.by, $0.reason) } ?? call.text(.active)
  }

  private static func forms(
    _ name: String, _ keys: [KeyRecord], _ passkeys: [PasskeyRecord], _ account: AccountSummary, _ call: PageCall
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
    forms += revocations(name, keys, passkeys, call) + AccountStateForms.forms(name, account.block, call)
    if call.allows(.manageAccounts) {
      forms.append(ProfileForm.form(name, account.profile, call))
      forms.append(
        PageForm(
          title: call.text(.deleteAccount), action: "/console/person/delete", button: call.text(.delete),
          fields: [who, call.reasonField], isDangerous: true))
    }
    return forms.map(PageBlock.form)
  }

  private static func revocations(
    _ name: String, _ keys: [KeyRecord], _ passkeys: [PasskeyRecord], _ call: PageCall
  ) -> [PageForm] {
    let who = PageField.hidden("name", name)
    var forms: [PageForm] = []
    let usable =
      keys.filter { $0.revocation == nil }.map {
        (KeyName.uaf($0.aaid, $0.keyID).text, "\($0.deviceName ?? "") \($0.keyID.text)")
      } + passkeys.filter { $0.revocation == nil }.map { (KeyName.passkey($0.id).text, KeyName.passkey($0.id).text) }
    if call.allows(.revoke), !usable.isEmpty {
      let key = PageField(name: "key", label: call.text(.keyID), kind: .choice(usable))
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

  /// The page that shows a new code, once.
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

/// The search for accounts: its form, and the query for the store.
struct PeopleSearch {
  private static let secondsOfDay: Int64 = 86_400
  private static let names = ["search", "memberOf", "prefix", "state", "group", "idle"]

  let query: AccountQuery
  /// A group of the policy in force; nil for all accounts.
  let group: String?
  let people: PeopleSelection

  /// Makes the query from the fields of a request.
  ///
  /// - Throws: ``AdministrationRefusal/invalid(field:_:)``.
  init(_ call: PageCall) throws(AdministrationRefusal) {
    var query = AccountQuery(
      prefix: call.fields["prefix"], after: call.fields["after"], limit: PageLimit.standard)
    if let state = call.value("state") {
      guard let known = SearchedState(rawValue: state) else { throw .invalid(field: "state", .unknown) }
      query.state = known
    }
    if call.value("idle") != nil {
      let days = try call.number("idle")
      guard (0...36_500).contains(days) else { throw .invalid(field: "idle", .outOfRange(0...36_500, .days)) }
      query.idleSince = call.environment.now - days * Self.secondsOfDay
    }
    self.query = query
    group = call.value("group")
    people = PeopleSelection(text: call.value("search"), memberOf: call.value("memberOf"))
  }

  static func form(_ call: PageCall) -> PageForm {
    let states: [(value: String, text: String)] = [
      ("", call.text(.any)), (SearchedState.active.rawValue, call.text(.active)),
      (SearchedState.disabled.rawValue, call.text(.disabled)), (SearchedState.locked.rawValue, call.text(.locked)),
    ]
    return PageForm(
      title: call.text(.search), action: "/console/people", button: call.text(.search),
      fields: [
        PageField(name: "search", label: call.text(.contains), value: call.fields["search"], maximum: 64),
        PageField(name: "memberOf", label: call.text(.memberOf), value: call.fields["memberOf"], maximum: 64),
        PageField(name: "prefix", label: call.text(.beginsWith), value: call.fields["prefix"], maximum: 128),
        PageField(name: "state", label: call.text(.state), kind: .choice(states), value: call.fields["state"]),
        PageField(name: "group", label: call.text(.group), value: call.fields["group"]),
        PageField(name: "idle", label: call.text(.idleDays), kind: .number, value: call.fields["idle"]),
      ], isSearch: true)
  }

  /// A link to the next page, with the same search.
  static func next(_ after: String, _ call: PageCall) -> PageCell {
    call.next("/console/people", names.map { ($0, call.fields[$0]) } + [("after", after)])
  }
}

/// The state of an account, and the forms that change it.
enum AccountStateForms {
  /// How long a lock lasts by default, in seconds.
  private static let standardLock: Int64 = 86_400

  /// The state of an account as text; an expired lock is not mentioned.
  static func text(_ block: AccountBlock?, _ call: PageCall) -> String {
    guard let block, block.refusal(at: call.environment.now) != nil else { return call.text(.active) }
    guard let until = block.until else {
      return call.language.text(.disabledSince, call.time(block.since), block.actor, block.reason)
    }
    return call.language.text(.lockedUntil, call.time(until), block.actor, block.reason)
  }

  static func forms(_ name: String, _ block: AccountBlock?, _ call: PageCall) -> [PageForm] {
    guard call.allows(.manageAccounts) else { return [] }
    let who = PageField.hidden("name", name)
    let reason = PageField(name: "reason", label: call.text(.reason), isRequired: true, maximum: 200)
    let state = block?.refusal(at: call.environment.now)
    var forms: [PageForm] = []
    if state != .accountDisabled {
      let seconds = PageField(
        name: "seconds", label: call.text(.lockSeconds), kind: .number, value: String(standardLock), isRequired: true)
      forms = [
        PageForm(
          title: call.text(.lockAccount), action: "/console/person/lock", button: call.text(.lock),
          fields: [who, seconds, reason], isDangerous: true),
        PageForm(
          title: call.text(.disableAccount), action: "/console/person/disable", button: call.text(.disable),
          fields: [who, reason], isDangerous: true),
      ]
    }
    if state != nil {
      forms.append(
        PageForm(
          title: call.text(.enableAccount), action: "/console/person/enable", button: call.text(.enable),
          fields: [who]))
    }
    return forms
  }

  /// Disables an account.
  ///
  /// - Returns: the step, if it needs a signature; nil if it was performed.
  static func disable(_ call: PageCall) async throws -> DangerousStep? {
    let (name, reason) = (call.fields["name"], call.fields["reason"])
    guard try await !needsSignature(name, reason, call) else { return .disableAccount(name, reason: reason) }
    try await states(call).disable(name, reason: reason, by: call.caller)
    return nil
  }

  /// Locks an account for some time.
  ///
  /// - Returns: the step, if it needs a signature; nil if it was performed.
  static func lock(_ call: PageCall) async throws -> DangerousStep? {
    let (name, reason) = (call.fields["name"], call.fields["reason"])
    let needsSignature = try await needsSignature(name, reason, call)
    let seconds = try call.number("seconds")
    guard AccountStateAdministration.lockTimes.contains(seconds) else {
      throw AdministrationRefusal.invalid(
        field: "seconds", .outOfRange(AccountStateAdministration.lockTimes, nil))
    }
    guard !needsSignature else { return .lockAccount(name, seconds: seconds, reason: reason) }
    try await states(call).lock(name, seconds: seconds, reason: reason, by: call.caller)
    return nil
  }

  /// Whether blocking the account needs a signature; otherwise it is done immediately.
  private static func needsSignature(_ name: String, _ reason: String, _ call: PageCall) async throws -> Bool {
    try AccountStateAdministration.check(reason: reason)
    return try await AccountAdministration(call.administration).needsSignature(toChange: name, by: call.caller)
  }

  private static func states(_ call: PageCall) -> AccountStateAdministration {
    AccountStateAdministration(call.administration)
  }
}

/// Unlocks for accounts that machines have locked: a form on a person's page, and the page that shows an unlock, once.
enum UnlockPages {
  /// The form; nil if the caller lacks the permission, or if the account has no usable key on any machine.
  static func form(_ name: String, _ keys: [KeyRecord], _ call: PageCall) -> PageForm? {
    let machines = machines(of: keys)
    guard call.allows(.unlock), !machines.isEmpty else { return nil }
    let fields = [
      PageField.hidden("name", name),
      PageField(name: "machine", label: call.text(.machine), kind: .choice(machines)),
      PageField(
        name: "lifetime", label: call.text(.lifetime), kind: .number,
        value: String(UnlockAdministration.standardLifetime), isRequired: true),
      call.reasonField,
    ]
    return PageForm(
      title: call.text(.unlockMachine), action: "/console/person/unlock", button: call.text(.issueCode),
      fields: fields)
  }

  /// The machines on which the account has usable keys, each once.
  ///
  /// If a machine reports no ID, the KeyID stands for it.
  private static func machines(of keys: [KeyRecord]) -> [(value: String, text: String)] {
    var found: [(value: String, text: String)] = []
    for key in keys.reversed() where key.revocation == nil {
      let value = key.deviceID ?? key.keyID.text
      guard !found.contains(where: { $0.value == value }) else { continue }
      found.append((value, key.deviceName.map { "\($0) \(value)" } ?? value))
    }
    return found
  }

  /// Issues an unlock, and returns the page that shows it once.
  static func issue(_ call: PageCall) async throws -> PageContent {
    let issued = try await UnlockAdministration(call.administration).issue(
      for: call.fields["name"], on: call.fields["machine"], lifetime: call.number("lifetime"),
      reason: call.fields["reason"], by: call.caller)
    let (name, end) = (issued.statement.account, call.time(issued.statement.expiresAt))
    var blocks: [PageBlock] = [
      .paragraph(call.language.text(.unlockMade, name, end)), .paragraph(call.text(.unlockHow)),
    ]
    if issued.codes.isEmpty { blocks.append(.paragraph(call.text(.unlockNoCode))) }
    if issued.codes.count > 1 { blocks.append(.paragraph(call.text(.unlockCodes))) }
    blocks += issued.codes.map { code in
      .code(
        code.text,
        label: issued.codes.count == 1
          ? call.text(.unlockCode) : call.language.text(.unlockCodeOf, code.label))
    }
    blocks.append(.code(issued.payload, label: call.text(.unlockLine)))
    return PageContent(title: name, blocks: blocks)
  }
}
