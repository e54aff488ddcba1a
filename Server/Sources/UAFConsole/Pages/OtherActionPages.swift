import UAFAdministration
import UAFMessages
import UAFService

/// The pages that say what a step on machines, join codes, texts, tokens and administrators will do.
enum OtherActionPages {
  static let routes: [PageRoutes.Route] = [
    .action("/console/machine/revoke", .revoke, revokeMachine),
    .action(JoinCodePages.issuePath, .joinMachines) { JoinCodePages.issuing($0) },
    .action(JoinCodePages.closePath, .joinMachines) { try JoinCodePages.closing($0) },
    .action("/console/approvals/ask", .approve) { askApproval($0) },
    .action("/console/approvals/close", .approve, closeApproval),
    .action("/console/tokens/add", .manageAccess) { addToken($0) },
    .action("/console/tokens/revoke", .manageAccess) { revokeToken($0) },
    .action(AccessPages.setPath, .manageAccess) { setRole($0) },
    .action("/console/administrators/remove", .manageAccess) { removeRole($0) },
  ]

  private static func revokeMachine(_ call: PageCall) async throws -> PageContent {
    let id = call.fields["id"]
    let machine = try await MachineAdministration(call.administration).machine(id, by: call.caller).machine
    let name = machine.name ?? id
    return call.stepPage(
      title: call.text(.revokeMachineShort),
      sentence: call.language.text(.willRevokeMachineOf, name, String(machine.keys), String(machine.people)),
      isSigned: true,
      form: PageForm(
        title: name, action: call.path, button: call.text(.goOn),
        fields: [.hidden("id", id), call.reasonField], isDangerous: true,
        cancel: PageCell(call.text(.cancel), link: PageCall.machineLink(id, nil).link)))
  }

  private static func askApproval(_ call: PageCall) -> PageContent {
    let fields = [
      PageField(
        name: "name", label: call.text(.accountName), value: call.fields["name"], isRequired: true, maximum: 128),
      PageField(name: "text", label: call.text(.text), isRequired: true, maximum: 200),
    ]
    return call.stepPage(
      title: call.text(.askApproval), sentence: call.text(.willAsk), isSigned: false,
      form: PageForm(
        title: call.text(.askApproval), action: call.path, button: call.text(.ask), fields: fields,
        cancel: PageCell(call.text(.cancel), link: "/console/approvals")))
  }

  private static func closeApproval(_ call: PageCall) async throws -> PageContent {
    let number = try call.number("number")
    let approval = try await ApprovalAdministration(call.administration).approval(number, by: call.caller)
    return call.stepPage(
      title: call.text(.closeApproval),
      sentence: call.language.text(.willCloseApproval, approval.username, approval.shown),
      isSigned: false,
      form: PageForm(
        title: call.language.text(.approvalNumber, String(number)), action: call.path, button: call.text(.close),
        fields: [.hidden("number", String(number))], isDangerous: true,
        cancel: PageCell(call.text(.cancel), link: "/console/approval?number=\(number)")))
  }

  private static func addToken(_ call: PageCall) -> PageContent {
    let name = PageField(name: "name", label: call.text(.tokenName), isRequired: true, maximum: 128)
    return call.stepPage(
      title: call.text(.addToken), sentence: call.text(.willAddToken), isSigned: false,
      form: PageForm(
        title: call.text(.addToken), action: call.path, button: call.text(.add),
        fields: [name, call.roleField(Role.allCases), call.lengthField("lifetime", .lifetime, 86_400)],
        cancel: PageCell(call.text(.cancel), link: "/console/tokens")))
  }

  private static func revokeToken(_ call: PageCall) -> PageContent {
    let name = call.fields["name"]
    return call.stepPage(
      title: call.text(.revokeToken), sentence: call.language.text(.willRevokeToken, name), isSigned: false,
      form: PageForm(
        title: name, action: call.path, button: call.text(.revoke), fields: [.hidden("name", name)], isDangerous: true,
        cancel: PageCell(call.text(.cancel), link: "/console/tokens")))
  }

  private static func setRole(_ call: PageCall) -> PageContent {
    let name = PageField(
      name: "name", label: call.text(.accountName), value: call.fields["name"], isRequired: true, maximum: 128)
    var role = call.roleField(Role.ofPeople)
    role.value = call.fields["role"]
    return call.stepPage(
      title: call.text(.setRole), sentence: call.text(.willSetRoleOf), isSigned: true,
      form: PageForm(
        title: call.text(.setRole), action: call.path, button: call.text(.set), fields: [name, role],
        cancel: PageCell(call.text(.cancel), link: "/console/administrators")))
  }

  private static func removeRole(_ call: PageCall) -> PageContent {
    let name = call.fields["name"]
    return call.stepPage(
      title: call.text(.removeAdministrator), sentence: call.language.text(.willRemoveRole, name), isSigned: true,
      form: PageForm(
        title: name, action: call.path, button: call.text(.remove), fields: [.hidden("name", name)], isDangerous: true,
        cancel: PageCell(call.text(.cancel), link: "/console/administrators")))
  }
}
