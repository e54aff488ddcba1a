import UAFAdministration
import UAFMessages
import UAFService

/// The pages with the groups of people, and with a single group; and the steps that rename or remove one.
///
/// A page names its group by the name, so that a person's page can link to it. A step names it by the number, which stays the
/// same if somebody renames the group in between.
enum GroupPages {
  static let path = "/console/groups"
  static let onePath = "/console/groups/group"
  private static let renamePath = "/console/groups/rename"
  private static let removePath = "/console/groups/remove"
  /// How many members the page of a group shows.
  private static let mostMembers = 10

  /// The pages that say what a step will do.
  static let steps: [PageRoutes.Route] = [
    .action(renamePath, .manageAccounts, renaming), .action(removePath, .manageAccounts, removing),
  ]

  /// The forms that do it.
  static let forms: [String: FormRoutes.Route] = [
    renamePath: FormRoutes.Route(permission: .manageAccounts) { call in
      let id = try call.number("id")
      try await PersonGroupAdministration(call.administration).rename(id, to: call.fields["name"], by: call.caller)
      return .redirect(link(try await PersonGroupAdministration(call.administration).group(id, by: call.caller).name))
    },
    removePath: FormRoutes.Route(permission: .manageAccounts) { call in
      try await PersonGroupAdministration(call.administration).remove(try call.number("id"), by: call.caller)
      return .redirect(path)
    },
  ]

  static func link(_ name: String) -> String { PageCall.link(onePath, [("name", name)]) }

  private static func step(_ path: String, _ group: PersonGroup) -> String {
    PageCall.link(path, [("id", String(group.id))])
  }

  private static func members(_ group: PersonGroup) -> String {
    PageCall.link("/console/people", [("memberOf", group.name)])
  }

  static func list(_ call: PageCall) async throws -> PageContent {
    let page = try await PeopleAdministration(call.administration).groups(
      after: call.fields["after"], limit: PageLimit.standard, by: call.caller)
    let rows = page.rows.map { group -> [PageCell] in
      let menu =
        call.allows(.manageAccounts)
        ? PageCell(
          "",
          kind: .actions(
            [call.action(.rename, step(renamePath, group)), call.action(.remove, step(removePath, group))],
            title: call.language.text(.actionsFor, group.name))) : ""
      return [
        PageCell(group.name, link: link(group.name)), PageCell(String(group.members), link: members(group)), menu,
      ]
    }
    let total = try await PeopleAdministration(call.administration).groupTotal(by: call.caller)
    let columns: [PageText] = [.name, .members]
    let table = PageTable(
      caption: call.text(.groups), columns: columns.map(call.text) + [""], rows: rows,
      empty: call.text(.noGroups),
      first: call.first(path),
      next: page.next.map { call.next(path, [("after", $0)], after: rows.count) },
      count: call.count(rows.count, hasMore: page.next != nil, of: total), hidesCaption: true)
    return PageContent(
      title: call.text(.groups), blocks: [.paragraph(call.text(.groupsAre)), .table(table)])
  }

  static func group(_ call: PageCall) async throws -> PageContent {
    let group = try await PersonGroupAdministration(call.administration).group(
      named: call.fields["name"], by: call.caller)
    let page = try await AccountAdministration(call.administration).page(
      AccountQuery(limit: mostMembers), of: PeopleSelection(memberOf: group.name), by: call.caller)
    let rows = page.rows.map { row -> [PageCell] in
      let account = row.summary
      return [
        PageCall.personLink(account.username), PageCell(account.profile.displayName ?? ""),
        PageCell(account.profile.department ?? ""), AccountStateForms.cell(account, call),
      ]
    }
    let table = PageTable(
      caption: call.text(.members),
      columns: [.account, .displayName, .department, .state].map(call.text), rows: rows,
      empty: call.text(.noMembers),
      next: page.next.map { _ in
        PageCell(call.language.text(.allMembers, String(group.members)), link: members(group))
      })
    var head = PageHead(
      subtitle: group.members == 1 ? call.text(.oneMember) : call.language.text(.manyMembers, String(group.members)))
    if call.allows(.manageAccounts) {
      head.primary = call.action(.rename, step(renamePath, group))
      head.dangerous = [call.action(.removeGroup, step(removePath, group))]
    }
    return PageContent(title: group.name, head: head, blocks: [.table(table)])
  }

  // MARK: The steps

  private static func asked(_ call: PageCall) async throws -> PersonGroup {
    try await PersonGroupAdministration(call.administration).group(try call.number("id"), by: call.caller)
  }

  private static func back(_ group: PersonGroup, _ call: PageCall) -> PageCell {
    PageCell(call.text(.cancel), link: link(group.name))
  }

  private static func renaming(_ call: PageCall) async throws -> PageContent {
    let group = try await asked(call)
    let name = PageField(name: "name", label: call.text(.newName), value: group.name, isRequired: true, maximum: 64)
    return call.stepPage(
      title: call.text(.renameGroup),
      sentence: call.language.text(.willRenameGroup, group.name, String(group.members)), isSigned: false,
      form: PageForm(
        title: group.name, action: call.path, button: call.text(.rename),
        fields: [.hidden("id", String(group.id)), name], cancel: back(group, call)))
  }

  private static func removing(_ call: PageCall) async throws -> PageContent {
    let group = try await asked(call)
    return call.stepPage(
      title: call.text(.removeGroup),
      sentence: call.language.text(.willRemoveGroup, group.name, String(group.members)), isSigned: false,
      form: PageForm(
        title: group.name, action: call.path, button: call.text(.remove),
        fields: [.hidden("id", String(group.id))], isDangerous: true, cancel: back(group, call)))
  }
}
