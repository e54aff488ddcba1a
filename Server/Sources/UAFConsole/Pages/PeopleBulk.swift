import UAFAdministration
import UAFMessages
import UAFService

/// What can be done with several people or machines of a list at once.
///
/// The first form only picks them; the page that follows says what will happen, and has the form that does it.
enum PeopleBulk {
  /// Where the page that says what will happen sends its form: the same path, with this field.
  private static let confirmed = "confirmed"
  private static let enrolPath = "/console/people/selected/enrol"
  private static let groupPath = "/console/people/selected/group"
  /// The one path whose form changes nothing.
  static let filePath = "/console/people/selected/file"

  /// The forms by their paths; each path has one step, and so one permission.
  static let routes: [String: FormRoutes.Route] = [
    enrolPath: FormRoutes.Route(permission: .enrol) { try await enrol($0) },
    filePath: FormRoutes.Route(permission: .read) { try await file($0) },
    groupPath: FormRoutes.Route(permission: .manageAccounts) { try await group($0) },
    path(.disable): FormRoutes.Route(permission: .manageAccounts) { try begin(.disable, $0) },
    path(.enable): FormRoutes.Route(permission: .manageAccounts) { try begin(.enable, $0) },
    path(.revokeKeys): FormRoutes.Route(permission: .revoke) { try begin(.revokeKeys, $0) },
    path(.revokeMachines): FormRoutes.Route(permission: .revoke) { try begin(.revokeMachines, $0) },
  ]

  private static func path(_ kind: BulkStep.Kind) -> String {
    switch kind {
    case .disable, .enable, .revokeKeys: "/console/people/selected/\(kind.rawValue)"
    case .revokeMachines: "/console/machines/selected/revoke"
    }
  }

  // MARK: The boxes and buttons of a list

  static func picking(_ names: [String], _ call: PageCall) -> RowPicking? {
    var buttons: [RowPicking.Button] = []
    if call.allows(.enrol) { buttons.append(.init(path: enrolPath, text: call.text(.issueEnrolment))) }
    if call.allows(.manageAccounts) {
      buttons += [
        .init(path: groupPath, text: call.text(.addToGroup)), .init(path: path(.enable), text: call.text(.enable)),
        .init(path: path(.disable), text: call.text(.disable), isDangerous: true),
      ]
    }
    if call.allows(.revoke) {
      buttons.append(.init(path: path(.revokeKeys), text: call.text(.revokeAll), isDangerous: true))
    }
    buttons.append(.init(path: filePath, text: call.text(.asCSV)))
    return picking(names.map { ($0, $0) }, buttons, call)
  }

  static func picking(_ machines: [FleetMachine], _ call: PageCall) -> RowPicking? {
    guard call.allows(.revoke) else { return nil }
    return picking(
      machines.map { ($0.id, $0.name ?? $0.id) },
      [.init(path: path(.revokeMachines), text: call.text(.revokeMachineShort), isDangerous: true)], call)
  }

  private static func picking(
    _ rows: [(value: String, name: String)], _ buttons: [RowPicking.Button], _ call: PageCall
  ) -> RowPicking? {
    guard !buttons.isEmpty, rows.count <= RowPicking.most else { return nil }
    return RowPicking(
      rows: rows.map { ($0.value, call.language.text(.pick, $0.name)) }, buttons: buttons,
      title: call.text(.withPicked))
  }

  // MARK: The steps

  /// The page that says what will happen to those who were picked.
  private static func ask(
    _ title: PageText, _ sentence: String, _ names: [String], _ fields: [PageField], button: PageText,
    isDangerous: Bool, _ call: PageCall
  ) -> PageContent {
    let list = PageTable(
      caption: call.text(.picked), columns: [call.text(.name)], rows: names.map { [PageCell($0)] }, empty: "")
    let hidden = names.enumerated().map { PageField.hidden("\(RowPicking.name)\($0)", $1) }
    let form = PageForm(
      title: call.text(title), action: call.path, button: call.text(button),
      fields: hidden + [.hidden(confirmed, "yes")] + fields, isDangerous: isDangerous)
    return PageContent(title: call.text(title), blocks: [.paragraph(sentence), .table(list), .form(form)])
  }

  private static func nobody(_ call: PageCall) -> FormRoutes.Answer {
    .page(PageContent(title: call.text(.problem), blocks: [.warning(call.text(.nobodyPicked))]))
  }

  /// Shows what the step will do; asks for the signature after that page was confirmed.
  private static func begin(_ kind: BulkStep.Kind, _ call: PageCall) throws -> FormRoutes.Answer {
    let bulk = BulkStep(kind: kind, names: RowPicking.picked(call.fields), reason: call.fields["reason"])
    guard !bulk.names.isEmpty else { return nobody(call) }
    guard call.value(confirmed) == nil else {
      if kind == .disable { try AccountStateAdministration.check(reason: bulk.reason) }
      return .confirm(.several(bulk))
    }
    let reason = PageField(name: "reason", label: call.text(.reason), isRequired: kind == .disable, maximum: 200)
    let title: PageText =
      switch kind {
      case .disable: .disable
      case .enable: .enable
      case .revokeKeys: .revokeAll
      case .revokeMachines: .revokeMachineShort
      }
    return .page(
      ask(
        title, bulk.sentence(call.language), bulk.names, kind == .enable ? [] : [reason], button: .goOn,
        isDangerous: kind != .enable, call))
  }

  /// Shows for whom codes will be issued; issues them as a file after that page was confirmed.
  private static func enrol(_ call: PageCall) async throws -> FormRoutes.Answer {
    let names = RowPicking.picked(call.fields)
    guard !names.isEmpty else { return nobody(call) }
    guard call.value(confirmed) != nil else {
      return .page(
        ask(
          .issueEnrolment, call.language.text(.willEnrolMany, String(names.count)), names,
          [call.lengthField("lifetime", .lifetime, 86_400)], button: .issueCode, isDangerous: false, call))
    }
    let lifetime = try lifetime(call)
    let lines = names.map { "\"\($0.replacing("\"", with: "\"\""))\"\n" }
    let list: PeopleList
    do {
      list = try await EnrolListAdministration(call.administration).check(
        Array("username\n\(lines.joined())".utf8), by: call.caller)
    } catch let problem as PeopleListProblem {
      throw AdministrationRefusal.conflict(.list(problem))
    }
    // A privileged account is a wrong line: its code is issued alone, with a signature.
    guard list.wrong.isEmpty else { throw AdministrationRefusal.conflict(.wrongLines(list.wrong.count)) }
    let made = try await EnrolListAdministration(call.administration).issueAll(
      list.people, lifetime: lifetime, by: call.caller)
    return .file(name: "codes.csv", CodeList.header + CodeList.lines(made))
  }

  /// Shows who will be put into a group of people; does so after that page was confirmed.
  private static func group(_ call: PageCall) async throws -> FormRoutes.Answer {
    let names = RowPicking.picked(call.fields)
    guard !names.isEmpty else { return nobody(call) }
    guard call.value(confirmed) != nil else {
      let name = PageField(name: "name", label: call.text(.groupOfPeople), isRequired: true, maximum: 64)
      return .page(
        ask(
          .addToGroup, call.language.text(.willAddToGroup, String(names.count)), names, [name], button: .addToGroup,
          isDangerous: false, call))
    }
    let group = try await PeopleAdministration(call.administration).add(
      names, to: call.fields["name"], by: call.caller)
    return .redirect(GroupPages.link(group))
  }

  /// The picked accounts as CSV, for a spreadsheet; times are in UTC.
  private static func file(_ call: PageCall) async throws -> FormRoutes.Answer {
    let names = RowPicking.picked(call.fields)
    guard !names.isEmpty else { return nobody(call) }
    var lines = CSVLine.written(["username", "state", "group", "keys", "revoked_keys", "last_used"])
    for name in names {
      let account = try await AccountAdministration(call.administration).account(name, by: call.caller)
      let summary = account.summary
      let block = summary.block?.refusal(at: call.environment.now)
      lines += CSVLine.written([
        name, block?.rawValue ?? "active", account.group ?? "", String(summary.keys), String(summary.revokedKeys),
        summary.lastUsedAt.map(call.environment.timeText) ?? "",
      ])
    }
    return .file(name: "people.csv", lines)
  }

  private static func lifetime(_ call: PageCall) throws(AdministrationRefusal) -> Int64 {
    let lifetime = try call.length("lifetime")
    guard EnrolmentAdministration.lifetimes.contains(lifetime) else {
      throw .invalid(field: "lifetime", .outOfRange(EnrolmentAdministration.lifetimes, .seconds))
    }
    return lifetime
  }
}
