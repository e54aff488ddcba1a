import UAFAdministration
import UAFService

/// The pages in the menu and behind it, by their paths.
enum PageRoutes {
  struct Route: Sendable {
    let path: String
    /// nil for a page that is not in the menu.
    var menu: PageText?
    /// A person without this permission does not see the page in the menu.
    var permission = Permission.read
    let content: @Sendable (PageCall) async throws -> PageContent
  }

  static let all = [
    Route(path: "/console", menu: .overview, content: OverviewPage.content),
    Route(path: "/console/people", menu: .people, content: PeoplePages.list),
    Route(path: "/console/person", content: PeoplePages.person),
    Route(path: "/console/machines", menu: .machines, content: MachinePages.list),
    Route(path: "/console/machine", content: MachinePages.machine),
    Route(path: "/console/codes", menu: .codes, content: CodePages.codes),
    Route(path: ListPages.path, menu: .enrolList, permission: .enrol, content: ListPages.form),
    Route(path: "/console/approvals", menu: .approvals, content: CodePages.approvals),
    Route(path: "/console/approval", content: CodePages.approval),
    Route(path: "/console/policies", menu: .policies, content: PolicyPages.list),
    Route(path: "/console/policy", content: PolicyPages.version),
    Route(path: MachinePolicyPages.path, menu: .machinePolicies, content: MachinePolicyPages.list),
    Route(path: "/console/machine-policy", content: MachinePolicyPages.version),
    Route(path: "/console/audit", menu: .audit, content: AuditRowPages.list),
    Route(path: "/console/audit/row", content: AuditRowPages.row),
    Route(path: "/console/tokens", menu: .tokens, permission: .manageAccess, content: AccessPages.tokens),
    Route(
      path: "/console/administrators", menu: .administrators, permission: .manageAccess,
      content: AccessPages.administrators),
    Route(path: "/console/settings", menu: .settings, content: SettingsPage.content),
    Route(path: "/console/about", menu: .about, content: AccessPages.about),
  ]
}

/// One request for a page, or one sent form, by somebody who has signed in.
struct PageCall {
  let signedIn: SignedIn
  let language: PageLanguage
  /// The fields of the query, or of the form.
  let fields: FormFields
  let environment: ConsoleEnvironment

  var caller: Caller { signedIn.caller }
  var administration: AdministrationEnvironment { environment.administration }

  func allows(_ permission: Permission) -> Bool { caller.role.allows(permission) }

  func text(_ text: PageText) -> String { language.text(text) }

  func time(_ seconds: Int64?) -> String { seconds.map(environment.timeText) ?? text(.never) }

  func yesOrNo(_ value: Bool) -> String { text(value ? .yes : .no) }

  func roleText(_ role: String) -> String {
    switch Role(rawValue: role) {
    case .auditor: text(.auditor)
    case .helpdesk: text(.helpdesk)
    case .operator: text(.operator)
    case .administrator: text(.administrator)
    case nil: role
    }
  }

  /// The choice of a role.
  var roleField: PageField {
    PageField(
      name: "role", label: text(.role), kind: .choice(Role.allCases.map { ($0.rawValue, roleText($0.rawValue)) }))
  }

  var reasonField: PageField { PageField(name: "reason", label: text(.reason), maximum: 500) }

  /// The value of a field; nil for an empty field.
  func value(_ name: String) -> String? { fields[name].isEmpty ? nil : fields[name] }

  /// The time in a field, in seconds since 1970; nil for an empty field.
  ///
  /// - Throws: ``AdministrationRefusal/invalid(field:_:)``.
  func time(_ name: String) throws(AdministrationRefusal) -> Int64? {
    guard let text = value(name) else { return nil }
    guard let time = environment.readTime(text) else {
      throw .invalid(field: name, .notATime)
    }
    return time
  }

  /// The number in a field.
  ///
  /// - Throws: ``AdministrationRefusal/invalid(field:_:)``.
  func number(_ name: String) throws(AdministrationRefusal) -> Int64 {
    guard let number = Int64(fields[name]) else { throw .invalid(field: name, .notANumber) }
    return number
  }

  /// - Throws: ``AdministrationRefusal/invalid(field:_:)``.
  func role() throws(AdministrationRefusal) -> Role {
    guard let role = Role(rawValue: fields["role"]) else { throw .invalid(field: "role", .unknown) }
    return role
  }

  /// A link to the next page of a list.
  func next(_ path: String, _ parts: [(name: String, value: String)]) -> PageCell {
    let query = parts.filter { !$0.value.isEmpty }.map { "\($0.name)=\(FormFields.encoded($0.value))" }
    return PageCell(text(.nextPage), link: "\(path)?\(query.joined(separator: "&"))")
  }

  static func personLink(_ name: String) -> PageCell {
    PageCell(name, link: "/console/person?name=\(FormFields.encoded(name))")
  }

  static func machineLink(_ id: String, _ name: String?) -> PageCell {
    PageCell(name ?? id, link: "/console/machine?id=\(FormFields.encoded(id))")
  }
}

/// What a page shows.
struct PageContent {
  let title: String
  let blocks: [PageBlock]
}

/// What the forms of the console do, by their paths.
enum FormRoutes {
  /// The response to a form.
  enum Result {
    /// The page of this path.
    case redirect(String)
    /// A page that is shown once.
    case page(PageContent)
    /// The step that waits for a signature.
    case confirm(DangerousStep)
    /// A file that is sent once, and stored nowhere.
    case file(name: String, String)
  }

  /// A form, and the permission that its sender needs.
  ///
  /// The operation that the action calls checks the permission for its change. The permission is named here too, so that the
  /// fields of an unauthorised form are not read: its sender is refused, whatever the fields contain.
  struct Route: Sendable {
    fileprivate let permission: Permission
    fileprivate let action: @Sendable (PageCall) async throws -> Result

    /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
    func perform(_ call: PageCall) async throws -> Result {
      try call.caller.require(permission)
      return try await action(call)
    }
  }

  static var paths: [String] { all.keys.sorted() }

  private static func person(_ call: PageCall) -> Result {
    .redirect("/console/person?name=\(FormFields.encoded(call.fields["name"]))")
  }

  /// The forms by their paths.
  static let all: [String: Route] = [
    "/console/people/add": Route(permission: .manageAccounts) { call in
      try await AccountAdministration(call.administration).add(call.fields["name"], by: call.caller)
      return person(call)
    },
    "/console/person/enrol": Route(permission: .enrol) { call in try await issueCode(call) },
    "/console/person/close-code": Route(permission: .enrol) { call in
      try await EnrolmentAdministration(call.administration).close(for: call.fields["name"], by: call.caller)
      return person(call)
    },
    "/console/person/unlock": Route(permission: .unlock) { call in .page(try await UnlockPages.issue(call)) },
    "/console/person/revoke": Route(permission: .revoke) { call in try await revokeKey(call) },
    "/console/person/revoke-all": Route(permission: .revoke) { call in
      .confirm(.revokeAll(of: call.fields["name"], reason: call.fields["reason"]))
    },
    "/console/person/delete": Route(permission: .manageAccounts) { call in
      .confirm(.deleteAccount(call.fields["name"], reason: call.fields["reason"]))
    },
    "/console/person/disable": Route(permission: .manageAccounts) { call in
      try await AccountStateForms.disable(call).map(Result.confirm) ?? person(call)
    },
    "/console/person/lock": Route(permission: .manageAccounts) { call in
      try await AccountStateForms.lock(call).map(Result.confirm) ?? person(call)
    },
    "/console/person/enable": Route(permission: .manageAccounts) { call in
      .confirm(.enableAccount(call.fields["name"]))
    },
    "/console/policies/preview": Route(permission: .read) { call in .page(try await PolicyPages.preview(call)) },
    "/console/policies/save": Route(permission: .managePolicies) { call in .confirm(try await PolicyPages.step(call)) },
    MachinePolicyForms.previewPath: Route(permission: .managePolicies) { call in
      .page(try await MachinePolicyForms.preview(call))
    },
    MachinePolicyForms.savePath: Route(permission: .managePolicies) { call in
      .confirm(try await MachinePolicyForms.step(call))
    },
    "/console/machine/revoke": Route(permission: .revoke) { call in
      .confirm(.revokeMachine(call.fields["id"], reason: call.fields["reason"]))
    },
    "/console/join-codes/issue": Route(permission: .joinMachines) { call in
      .page(try await JoinCodePages.issue(call))
    },
    "/console/join-codes/close": Route(permission: .joinMachines) { call in
      try await JoinCodeAdministration(call.administration).close(try call.number("number"), by: call.caller)
      return .redirect("/console/machines")
    },
    "/console/approvals/ask": Route(permission: .approve) { call in
      let payload = try await ApprovalAdministration(call.administration).create(
        call.fields["text"], for: call.fields["name"], by: call.caller)
      return .page(PeoplePages.issued(payload, title: .approvalMade, how: nil, call))
    },
    "/console/approvals/close": Route(permission: .approve) { call in
      try await ApprovalAdministration(call.administration).close(try call.number("number"), by: call.caller)
      return .redirect("/console/approvals")
    },
    UploadLimit.checkPath: Route(permission: .enrol) { call in .page(try await ListPages.check(call)) },
    UploadLimit.issuePath: Route(permission: .enrol) { call in try await ListPages.issue(call) },
    "/console/tokens/add": Route(permission: .manageAccess) { call in try await AccessForms.addToken(call) },
    "/console/tokens/revoke": Route(permission: .manageAccess) { call in
      try await AccessAdministration(call.administration).revokeToken(call.fields["name"], by: call.caller)
      return .redirect("/console/tokens")
    },
    "/console/administrators/set": Route(permission: .manageAccess) { call in try await AccessForms.setRole(call) },
    AccessForms.keysPath: Route(permission: .manageAccess) { call in .confirm(try AccessForms.setRoleWithKeys(call)) },
    "/console/administrators/remove": Route(permission: .manageAccess) { call in
      .confirm(.removeAdministrator(call.fields["name"]))
    },
  ]

  /// A key of an account that has a role, or is in the group `privileged`, is revoked with a signature; any other key is
  /// revoked immediately.
  private static func revokeKey(_ call: PageCall) async throws -> Result {
    let (name, key, reason) = (call.fields["name"], call.fields["key"], call.fields["reason"])
    if call.caller.role.reachesPrivileged,
      try await AccountAdministration(call.administration).isPrivileged(name, by: call.caller)
    {
      return .confirm(.revokeKey(try EarlierKey(named: key, field: "key"), of: name, reason: reason))
    }
    try await KeyAdministration(call.administration).revoke(of: name, key: key, reason: reason, by: call.caller)
    return person(call)
  }

  /// A code with which somebody could become an administrator, or a person in the group `privileged`, is issued with a
  /// signature; any other code is issued immediately.
  private static func issueCode(_ call: PageCall) async throws -> Result {
    let (name, lifetime) = (call.fields["name"], try call.number("lifetime"))
    let accounts = AccountAdministration(call.administration)
    if call.caller.role.reachesPrivileged, try await accounts.isPrivileged(name, by: call.caller) {
      return .confirm(.issueCode(for: name, lifetime: lifetime))
    }
    let code = try await EnrolmentAdministration(call.administration).issue(
      for: name, lifetime: lifetime, by: call.caller)
    return .page(AccessForms.made(.code(code), call))
  }
}

/// The pages that wait for a signature: of a sign-in, and of a dangerous step.
enum ConfirmationPages {
  static func signIn(_ language: PageLanguage) -> PageContent {
    PageContent(
      title: language.text(.signIn),
      blocks: [
        .paragraph(language.text(.signInIntro)),
        .form(
          PageForm(
            title: language.text(.signIn), action: "/console/sign-in", button: language.text(.goOn),
            fields: [PageField(name: "name", label: language.text(.accountName), isRequired: true, maximum: 128)])),
      ])
  }

  /// What is to be confirmed, and how.
  ///
  /// - Parameter action: the target of the button that says it was confirmed.
  static func waiting(
    _ title: PageText, shown: String, number: String, line: String, action: String, _ language: PageLanguage
  ) -> PageContent {
    var blocks: [PageBlock] = [
      .paragraph(language.text(.confirmHow)),
      .facts([(language.text(.textToConfirm), shown), (language.text(.codeNumber), number)]),
      .code(line, label: language.text(.payloadLine)),
    ]
    if let picture = QRCode(line) { blocks.append(.picture(picture, label: language.text(.payloadPicture))) }
    blocks.append(
      .form(PageForm(title: language.text(title), action: action, button: language.text(.haveConfirmed))))
    return PageContent(title: language.text(title), blocks: blocks)
  }
}
