import UAFAdministration
import UAFService

/// The pages for people who have signed in, by their paths.
enum PageRoutes {
  struct Route: Sendable {
    let path: String
    /// The text in the menu; nil for a page that is not in it.
    var menu: PageText?
    /// The permission without which the menu does not show the page.
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

/// One request for a page, or one sent form, of somebody who has signed in.
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

  /// The field for choosing a role.
  var roleField: PageField {
    PageField(
      name: "role", label: text(.role), kind: .choice(Role.allCases.map { ($0.rawValue, roleText($0.rawValue)) }))
  }

  var reasonField: PageField { PageField(name: "reason", label: text(.reason), maximum: 500) }

  /// The value of a field; nil if it is empty.
  func value(_ name: String) -> String? { fields[name].isEmpty ? nil : fields[name] }

  /// The time in a field, in seconds since 1970; nil if the field is empty.
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

/// The content of a page.
struct PageContent {
  let title: String
  let blocks: [PageBlock]

  /// Whether the page needs the script for passkeys.
  var hasScript: Bool {
    blocks.contains { if case .passkey = $0 { true } else { false } }
  }
}
