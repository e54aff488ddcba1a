import UAFAdministration

/// The pages of the menu and behind it, by their paths.
enum PageRoutes {
  struct Route: Sendable {
    let path: String
    /// nil for a page that the menu does not have.
    var menu: PageText?
    /// Who does not have it does not see the page in the menu.
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
