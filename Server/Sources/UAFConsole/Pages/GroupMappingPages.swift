import UAFAdministration
import UAFMessages
import UAFService

/// The pages with the mapped groups of people: the list, the form that asks for a new mapping, and the previews that lead to a
/// signature.
enum GroupMappingPages {
  static let path = "/console/policies/groups"
  private static let addPath = "/console/policies/groups/add"
  private static let previewPath = "/console/policies/groups/preview"
  private static let removePath = "/console/policies/groups/remove"

  /// The pages that begin a step.
  static let steps: [PageRoutes.Route] = [
    .action(addPath, .manageAccess, adding), .action(removePath, .manageAccess, removing),
  ]

  /// The forms that show a preview, and that ask for the signature.
  static let forms: [String: FormRoutes.Route] = [
    previewPath: FormRoutes.Route(permission: .manageAccess) { call in .page(try await preview(call)) },
    addPath: FormRoutes.Route(permission: .manageAccess) { call in .confirmChecked(try await mapping(call)) },
    removePath: FormRoutes.Route(permission: .manageAccess) { call in .confirmChecked(try await removal(call)) },
  ]

  static func list(_ call: PageCall) async throws -> PageContent {
    let mappings = try await GroupMappingAdministration(call.administration).all(by: call.caller)
    let mayChange = call.allows(.manageAccess)
    let rows = mappings.map { mapping -> [PageCell] in
      let remove = PageCall.link(removePath, [("id", String(mapping.groupID))])
      return [
        PageCell(mapping.group, link: GroupPages.link(mapping.group)), PageCell(mapping.externalID ?? ""),
        PageCell(String(mapping.members)), PageCell(mapping.policyGroup ?? ""),
        PageCell(mapping.role.map(call.roleText) ?? ""), PageCell(call.actor(mapping.madeBy)),
        call.moment(mapping.madeAt), mayChange ? PageCell(call.text(.remove), link: remove) : "",
      ]
    }
    let columns: [PageText] = [.groupOfPeople, .groupExternalID, .members, .policyGroup, .role, .actor, .time]
    let table = PageTable(
      caption: call.text(.mappedGroups), columns: columns.map(call.text) + [""], rows: rows,
      empty: call.text(.noMappedGroups), count: call.count(rows.count, hasMore: false),
      order: call.order(columns: columns.count), hidesCaption: true)
    return PageContent(
      title: call.text(.mappedGroups),
      head: mayChange ? PageHead(primary: call.action(.mapGroup, addPath, .plus)) : nil,
      blocks: [.paragraph(call.text(.mappedGroupsAre)), .table(table)])
  }

  // MARK: A new mapping

  private static func adding(_ call: PageCall) async throws -> PageContent {
    let groups = try await GroupMappingAdministration(call.administration).policyGroups(by: call.caller)
    let none = ("", call.text(.noneMapped))
    let fields = [
      PageField(
        name: "name", label: call.text(.groupOfPeople), value: call.fields["name"], isRequired: true, maximum: 64),
      PageField(name: "policy", label: call.text(.policyGroup), kind: .choice([none] + groups.map { ($0, $0) })),
      PageField(
        name: "role", label: call.text(.role),
        kind: .choice([none] + MappingTarget.roles.map { ($0.rawValue, call.roleText($0.rawValue)) })),
    ]
    return PageContent(
      title: call.text(.mapGroup),
      blocks: [
        .paragraph(call.text(.mappedGroupsAre)),
        .form(
          PageForm(
            title: call.text(.mapGroup), action: previewPath, button: call.text(.preview), fields: fields,
            cancel: cancel(call))),
      ])
  }

  private static func preview(_ call: PageCall) async throws -> PageContent {
    let target = try target(call)
    let group = try await PersonGroupAdministration(call.administration).group(
      named: call.fields["name"], by: call.caller)
    let preview = try await GroupMappingAdministration(call.administration).preview(
      group.id, to: target, by: call.caller)
    return page(
      .mapGroup, target.sentence(for: group.name, call.language), group, preview, to: addPath,
      [.hidden("policy", target.policyGroup ?? ""), .hidden("role", target.role?.rawValue ?? "")], call)
  }

  /// What the form says that members get.
  private static func target(_ call: PageCall) throws(AdministrationRefusal) -> MappingTarget {
    MappingTarget(policyGroup: call.value("policy"), role: call.value("role") == nil ? nil : try call.role())
  }

  private static func mapping(_ call: PageCall) async throws -> DangerousStep {
    let (id, count) = (try call.number("id"), try call.number("lockOut"))
    let target = try target(call)
    try await GroupMappingAdministration(call.administration).check(
      id, to: target, lockingOut: Int(clamping: count), by: call.caller)
    return .mapGroup(id, named: call.fields["name"], to: target, lockingOut: count)
  }

  // MARK: The end of a mapping

  private static func removing(_ call: PageCall) async throws -> PageContent {
    let group = try await PersonGroupAdministration(call.administration).group(
      try call.number("id"), by: call.caller)
    let preview = try await GroupMappingAdministration(call.administration).preview(
      group.id, to: nil, by: call.caller)
    return page(
      .unmapGroup, call.language.text(.willUnmapGroup, group.name), group, preview, to: removePath, [], call)
  }

  private static func removal(_ call: PageCall) async throws -> DangerousStep {
    let (id, count) = (try call.number("id"), try call.number("lockOut"))
    try await GroupMappingAdministration(call.administration).check(
      id, to: nil, lockingOut: Int(clamping: count), by: call.caller)
    let group = try await PersonGroupAdministration(call.administration).group(id, by: call.caller)
    return .unmapGroup(id, named: group.name, lockingOut: count)
  }

  // MARK: Previews

  /// The page that says whom a change would affect, with the form that asks for the signature.
  private static func page(
    _ title: PageText, _ sentence: String, _ group: PersonGroup, _ preview: GroupMappingPreview, to action: String,
    _ fields: [PageField], _ call: PageCall
  ) -> PageContent {
    let form = PageForm(
      title: group.name, action: action, button: call.text(.goOn),
      fields: [.hidden("id", String(group.id)), .hidden("name", group.name)] + fields
        + [PolicyPages.lockOut(preview.policy, call)],
      isDangerous: preview.policy.lockedOut > 0, cancel: cancel(call))
    let members = (call.text(.members), String(preview.members))
    return PageContent(
      title: call.text(title),
      blocks: [.paragraph(sentence)] + PolicyPages.affected(preview.policy, after: [members], call)
        + [.aside(call.text(.isSigned)), .form(form)])
  }

  private static func cancel(_ call: PageCall) -> PageCell { PageCell(call.text(.cancel), link: path) }
}
