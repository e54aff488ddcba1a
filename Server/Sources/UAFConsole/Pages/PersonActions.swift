import UAFAdministration
import UAFMessages
import UAFService

/// What can be done with an account: the head of the person's page, and the menu of a row.
enum PersonActions {
  private static func link(_ what: String, _ name: String) -> String {
    "/console/person/\(what)?name=\(FormFields.encoded(name))"
  }

  /// The two or three usual actions, for a row of the list.
  static func menu(_ account: AccountSummary, _ call: PageCall) -> PageCell {
    let name = account.username
    let isBlocked = account.block?.refusal(at: call.environment.now) != nil
    var actions: [PageAction] = []
    if call.allows(.unlock), account.keys > 0 { actions.append(call.action(.unlockShort, link("unlock", name))) }
    if call.allows(.enrol) { actions.append(call.action(.issueEnrolment, link("enrol", name))) }
    if call.allows(.manageAccounts) {
      actions.append(
        isBlocked
          ? call.action(.enable, link("enable", name)) : call.action(.lock, link("lock", name)))
    }
    if call.allows(.revoke), account.keys > 0 { actions.append(call.action(.revokeAll, link("revoke-all", name))) }
    guard !actions.isEmpty else { return "" }
    return PageCell("", kind: .actions(actions, title: call.language.text(.actionsFor, name)))
  }

  /// The head of a person's page.
  static func head(
    _ account: AccountSummary, _ keys: [KeyRecord], _ passkeys: [PasskeyRecord], _ call: PageCall
  ) -> PageHead {
    let name = account.username
    let block = account.block?.refusal(at: call.environment.now)
    let isUsable = keys.contains { $0.revocation == nil } || passkeys.contains { $0.revocation == nil }
    var head = PageHead(
      subtitle: AccountStateForms.cell(account, call).note, states: [AccountStateForms.state(account, call)])
    var steps: [PageAction] = []
    if call.allows(.manageAccounts), block != nil {
      steps.append(call.action(.enableAccount, link("enable", name), .check))
    }
    let issue = call.action(.issueEnrolment, link("enrol", name), .plus)
    if call.allows(.enrol), !isUsable { steps.append(issue) }
    if call.allows(.unlock), !UnlockPages.machines(of: keys).isEmpty {
      steps.append(call.action(.unlockMachine, link("unlock", name), .unlock))
    }
    if call.allows(.enrol), isUsable { steps.append(issue) }
    if call.allows(.enrol), account.hasOpenCode { steps.append(call.action(.closeCode, link("close-code", name))) }
    if call.allows(.manageAccounts), block != .accountDisabled {
      steps.append(call.action(.lockAccount, link("lock", name), .lock))
      head.dangerous.append(call.action(.disableAccount, link("disable", name)))
    }
    if call.allows(.manageAccounts) { steps.append(call.action(.changePerson, link("change", name))) }
    head.primary = steps.first
    head.more = Array(steps.dropFirst())
    if call.allows(.revoke), isUsable {
      head.dangerous += [
        call.action(.revokeKey, link("revoke", name)), call.action(.revokeAll, link("revoke-all", name)),
      ]
    }
    if call.allows(.manageAccounts) { head.dangerous.append(call.action(.deleteAccount, link("delete", name))) }
    return head
  }
}

/// The pages that say what a step on an account will do, each with the form that begins the step.
///
/// Each has the path to which its form is sent.
enum PersonActionPages {
  static let routes: [PageRoutes.Route] = [
    .action("/console/people/add", .manageAccounts, add), .action("/console/person/enrol", .enrol, enrol),
    .action(ProfileForm.path, .manageAccounts, ProfileForm.page),
    .action("/console/person/close-code", .enrol) { try await page($0, .closeCode, .close, .willCloseCode) },
    .action("/console/person/unlock", .unlock, unlock), .action("/console/person/lock", .manageAccounts, lock),
    .action("/console/person/disable", .manageAccounts) { call in
      try await page(call, .disableAccount, .disable, .willDisable, [shortReason(call)], isDangerous: true)
    },
    .action("/console/person/enable", .manageAccounts) { call in
      try await page(call, .enableAccount, .enable, .willEnable, signs: true)
    },
    .action("/console/person/revoke", .revoke, revoke),
    .action("/console/person/revoke-all", .revoke) { call in
      try await page(call, .revokeAll, .revoke, .willRevokeAll, [call.reasonField], isDangerous: true, signs: true)
    },
    .action("/console/person/delete", .manageAccounts) { call in
      try await page(call, .deleteAccount, .delete, .willDelete, [call.reasonField], isDangerous: true, signs: true)
    },
  ]

  private static func shortReason(_ call: PageCall) -> PageField {
    PageField(name: "reason", label: call.text(.reason), isRequired: true, maximum: 200)
  }

  /// A page about a step on the account that the query names.
  ///
  /// - Parameter signs: whether the step is signed whoever the account belongs to; otherwise only privileged ones are.
  private static func page(
    _ call: PageCall, _ title: PageText, _ button: PageText, _ sentence: PageText, _ fields: [PageField] = [],
    isDangerous: Bool = false, signs: Bool = false
  ) async throws -> PageContent {
    let name = call.fields["name"]
    _ = try await AccountAdministration(call.administration).account(name, by: call.caller)
    let isSigned: Bool
    if signs {
      isSigned = true
    } else {
      isSigned = try await AccountAdministration(call.administration).needsSignature(toChange: name, by: call.caller)
    }
    return call.stepPage(
      title: call.text(title), sentence: call.language.text(sentence, name), isSigned: isSigned,
      form: PageForm(
        title: name, action: call.path, button: call.text(isSigned ? .goOn : button),
        fields: [.hidden("name", name)] + fields, isDangerous: isDangerous, cancel: back(name, call)))
  }

  private static func back(_ name: String, _ call: PageCall) -> PageCell {
    PageCell(call.text(.cancel), link: PageCall.personLink(name).link)
  }

  private static func add(_ call: PageCall) -> PageContent {
    let name = PageField(name: "name", label: call.text(.accountName), isRequired: true, maximum: 128)
    return call.stepPage(
      title: call.text(.addAccount), sentence: call.text(.willAdd), isSigned: false,
      form: PageForm(
        title: call.text(.addAccount), action: call.path, button: call.text(.add), fields: [name],
        cancel: PageCell(call.text(.cancel), link: "/console/people")))
  }

  /// The page for a code: for the account in the query, or with a field for its name.
  private static func enrol(_ call: PageCall) async throws -> PageContent {
    let lifetime = call.lengthField("lifetime", .lifetime, EnrolmentAdministration.standardLifetime)
    guard call.value("name") == nil else {
      return try await page(call, .issueEnrolment, .issueCode, .willEnrol, [lifetime])
    }
    let name = PageField(name: "name", label: call.text(.accountName), isRequired: true, maximum: 128)
    return call.stepPage(
      title: call.text(.issueEnrolment), sentence: call.text(.willEnrolOne), isSigned: false,
      form: PageForm(
        title: call.text(.issueEnrolment), action: call.path, button: call.text(.issueCode), fields: [name, lifetime],
        cancel: PageCell(call.text(.cancel), link: "/console/codes")))
  }

  private static func unlock(_ call: PageCall) async throws -> PageContent {
    let name = call.fields["name"]
    let keys = try await KeyAdministration(call.administration).keys(of: name, by: call.caller)
    guard var form = UnlockPages.form(name, keys, call) else {
      return PageContent(title: call.text(.unlockMachine), blocks: [.paragraph(call.text(.noMachines))])
    }
    form.cancel = back(name, call)
    return call.stepPage(
      title: call.text(.unlockMachine), sentence: call.language.text(.willUnlock, name), isSigned: false, form: form)
  }

  private static func lock(_ call: PageCall) async throws -> PageContent {
    let seconds = call.lengthField("seconds", .lockSeconds, AccountStateForms.standardLock)
    return try await page(
      call, .lockAccount, .lock, .willLockFor, [seconds, shortReason(call)], isDangerous: true)
  }

  private static func revoke(_ call: PageCall) async throws -> PageContent {
    let name = call.fields["name"]
    let keys = try await KeyAdministration(call.administration).keys(of: name, by: call.caller)
    let passkeys = try await KeyAdministration(call.administration).passkeys(of: name, by: call.caller)
    let usable =
      keys.filter { $0.revocation == nil }.map {
        (KeyName.uaf($0.aaid, $0.keyID).text, "\($0.deviceName ?? "") \(PageCell.shortened($0.keyID.text))")
      }
      + passkeys.filter { $0.revocation == nil }.map {
        (KeyName.passkey($0.id).text, PageCell.shortened(KeyName.passkey($0.id).text))
      }
    guard !usable.isEmpty else {
      return PageContent(title: call.text(.revokeKey), blocks: [.paragraph(call.text(.noKeysHere))])
    }
    let key = PageField(name: "key", label: call.text(.keyID), kind: .choice(usable), value: call.fields["key"])
    return try await page(
      call, .revokeKey, .revoke, .willRevokeOne, [key, call.reasonField], isDangerous: true)
  }
}

extension PageRoutes.Route {
  /// A page that begins a step: only for those who may do the step.
  static func action(
    _ path: String, _ permission: Permission, _ content: @escaping @Sendable (PageCall) async throws -> PageContent
  ) -> PageRoutes.Route {
    PageRoutes.Route(path: path, permission: permission) { call in
      try call.caller.require(permission)
      return try await content(call)
    }
  }
}

extension PageCall {
  /// A page that says in one sentence what will happen to whom, and whether that is signed next.
  func stepPage(title: String, sentence: String, isSigned: Bool, form: PageForm) -> PageContent {
    let blocks: [PageBlock] = [.paragraph(sentence)] + (isSigned ? [.aside(text(.isSigned))] : []) + [.form(form)]
    return PageContent(title: title, blocks: blocks)
  }
}
