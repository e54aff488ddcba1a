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

  /// The pages of the menu, in its order, and those that they lead to.
  static let all: [Route] =
    [
      Route(path: "/console", menu: .overview, content: OverviewPage.content),
      Route(path: "/console/people", menu: .people, content: PeoplePages.list),
      Route(path: "/console/person", content: PeoplePages.person),
      Route(path: GroupPages.path, menu: .groups, content: GroupPages.list),
      Route(path: GroupPages.onePath, content: GroupPages.group),
      Route(path: UnablePage.path, menu: .cannotLogIn, content: UnablePage.content),
      Route(path: "/console/codes", menu: .codes, content: CodePages.codes),
      Route(path: ListPages.path, menu: .enrolList, permission: .enrol, content: ListPages.form),
      Route(path: "/console/approvals", menu: .approvals, content: CodePages.approvals),
      Route(path: "/console/approval", content: CodePages.approval),
      Route(path: MachinePages.path, menu: .machines, content: MachinePages.list),
      Route(path: UnknownMachinesPage.path, content: UnknownMachinesPage.content),
      Route(path: "/console/machine", content: MachinePages.machine),
      Route(path: JoinCodePages.path, menu: .joinCodes, content: JoinCodePages.list),
      Route(path: "/console/policies", menu: .policies, content: PolicyPages.list),
      Route(path: "/console/policy", content: PolicyPages.version),
      Route(path: GroupMappingPages.path, menu: .mappedGroups, content: GroupMappingPages.list),
      Route(path: MachinePolicyPages.path, menu: .machinePolicies, content: MachinePolicyPages.list),
      Route(path: "/console/machine-policy", content: MachinePolicyPages.version),
      Route(path: "/console/audit", menu: .audit, content: AuditRowPages.list),
      Route(path: "/console/audit/row", content: AuditRowPages.row),
      Route(path: "/console/settings", menu: .settings, content: SettingsPage.content),
      Route(path: "/console/tokens", menu: .tokens, permission: .manageAccess, content: AccessPages.tokens),
      Route(
        path: "/console/administrators", menu: .administrators, permission: .manageAccess,
        content: AccessPages.administrators),
      Route(path: "/console/about", menu: .about, content: AccessPages.about),
    ] + PersonActionPages.routes + GroupPages.steps + GroupMappingPages.steps + OtherActionPages.routes
}

/// One request for a page, or one sent form, of somebody who has signed in.
struct PageCall {
  let signedIn: SignedIn
  let language: PageLanguage
  let zone: ViewerZone
  /// The path of the request.
  let path: String
  /// The fields of the query, or of the form.
  let fields: FormFields
  let environment: ConsoleEnvironment

  var caller: Caller { signedIn.caller }
  var administration: AdministrationEnvironment { environment.administration }

  func allows(_ permission: Permission) -> Bool { caller.role.allows(permission) }

  func text(_ text: PageText) -> String { language.text(text) }

  /// A time inside a sentence, in the reader's zone.
  func time(_ seconds: Int64?) -> String { seconds.map(zone.textWithZone) ?? text(.never) }

  /// A time in a cell or among facts; a word if there is none.
  func moment(_ seconds: Int64?, without word: PageText = .never) -> PageCell {
    guard let seconds else { return PageCell(text(word)) }
    let time = PageTime(
      seconds, now: environment.now, zone: zone, machine: environment.timeText(seconds), language)
    return PageCell(time.exact, kind: .time(time))
  }

  /// A time in a cell that is empty if there is none.
  func momentOrNothing(_ seconds: Int64?) -> PageCell { seconds == nil ? "" : moment(seconds) }

  /// A long identifier in a cell.
  func identifier(_ text: String) -> PageCell {
    PageCell.shortened(text) == text ? PageCell(text) : PageCell(text, kind: .id(CopyButton(language)))
  }

  /// A text to be copied, with a button for that.
  func code(_ text: String, label: String) -> PageBlock { .code(text, label: label, copy: CopyButton(language)) }

  func state(_ word: PageText, _ tone: PageState.Tone, _ icon: Icon) -> PageState {
    PageState(word: text(word), tone: tone, icon: icon)
  }

  /// A state in a cell, with a short text below.
  func state(_ word: PageText, _ tone: PageState.Tone, _ icon: Icon, note: String = "") -> PageCell {
    PageCell("", kind: .state(state(word, tone, icon)), note: note)
  }

  func action(_ word: PageText, _ link: String, _ icon: Icon? = nil) -> PageAction {
    PageAction(text: text(word), link: link, icon: icon)
  }

  /// How many rows a list shows, and whether more follow.
  func count(_ rows: Int, hasMore: Bool) -> String {
    hasMore
      ? language.text(.firstRows, String(rows)) : rows == 1 ? text(.oneRow) : language.text(.allRows, String(rows))
  }

  /// The number of the page's first row in the whole list, as the link to the page says.
  ///
  /// It is only shown: the rows of a page begin after a key.
  var from: Int { min(max(Int(fields[Self.fromName]) ?? 1, 1), 1_000_000_000) }

  static let fromName = "from"

  /// Which rows of a list the page shows, how many the list has, and which page it is.
  ///
  /// - Parameter total: nil if the rows were not counted.
  func count(_ rows: Int, hasMore: Bool, of total: RowTotal?) -> String {
    let last = from + rows - 1
    // A link may be older than the rows, and a reader may write anything into it.
    guard rows > 0, let total, last <= total.rows || total.hasMore else {
      return count(rows, hasMore: hasMore)
    }
    let (first, end) = (language.grouped(from), language.grouped(last))
    guard !total.hasMore else {
      return language.text(.rowsOfMore, first, end, language.grouped(total.rows))
    }
    guard hasMore || from > 1 else { return count(rows, hasMore: false) }
    let range = language.text(.rowsOf, first, end, language.grouped(total.rows))
    let size = PageLimit.standard
    guard (from - 1).isMultiple(of: size) else { return range }
    return range + " · "
      + language.text(
        .pageOf, language.grouped((from - 1) / size + 1),
        language.grouped((total.rows - 1) / size + 1))
  }

  /// The order that the reader has chosen for a table.
  ///
  /// - Parameter names: the fields of the query that the page keeps.
  func order(columns: Int, keeping names: [String] = []) -> TableOrder {
    let kept = names.map { ($0, fields[$0]) }
    return TableOrder(fields[TableOrder.name], columns: columns, page: Self.link(path, kept))
  }

  /// The order in which the store reads a whole list.
  ///
  /// - Parameters:
  ///   - names: the name of the order of each column; nil for a column by which nothing is sorted.
  ///   - kept: the fields of the query that the page keeps. A new order begins with the first page.
  /// - Throws: ``AdministrationRefusal/invalid(field:_:)`` for an order that does not exist.
  func storedOrder(
    _ names: [String?], keeping kept: [String]
  ) throws(AdministrationRefusal) -> (order: TableOrder, name: String?) {
    let text = fields[TableOrder.name]
    let order = TableOrder(text, names: names, page: Self.link(path, kept.map { ($0, fields[$0]) }))
    guard text.isEmpty || order.column != nil else {
      throw .invalid(field: TableOrder.name, .unknown)
    }
    return (order, order.column.flatMap { names[$0] })
  }

  /// A path with those of the parameters that are not empty.
  static func link(_ path: String, _ parts: [(name: String, value: String)]) -> String {
    let query = parts.filter { !$0.value.isEmpty }.map { "\($0.name)=\(FormFields.encoded($0.value))" }
    return query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
  }

  /// The field for a length of time.
  ///
  /// - Parameter seconds: the value that it has at first.
  func lengthField(_ name: String, _ label: PageText, _ seconds: Int64) -> PageField {
    PageField(
      name: name, label: text(label), kind: .length(LengthUnit.allCases.map { ($0, text($0.label)) }),
      value: String(seconds), isRequired: true)
  }

  /// The length of time in a field and its unit, in seconds; without a unit, the number is seconds.
  ///
  /// - Throws: ``AdministrationRefusal/invalid(field:_:)``.
  func length(_ name: String) throws(AdministrationRefusal) -> Int64 {
    let number = try number(name)
    guard let unit = value(name + LengthUnit.suffix) else { return number }
    guard let unit = LengthUnit(rawValue: unit) else { throw .invalid(field: name, .unknown) }
    let (seconds, overflow) = number.multipliedReportingOverflow(by: unit.seconds)
    guard !overflow else { throw .invalid(field: name, .notANumber) }
    return seconds
  }

  func yesOrNo(_ value: Bool) -> String { text(value ? .yes : .no) }

  func roleText(_ role: String) -> String {
    Role(rawValue: role).map { text($0.title) } ?? role
  }

  /// The field for choosing one of some roles.
  func roleField(_ roles: [Role]) -> PageField {
    PageField(name: "role", label: text(.role), kind: .choice(roles.map { ($0.rawValue, roleText($0.rawValue)) }))
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
  ///
  /// - Parameter rows: how many rows this page shows, if they are numbered.
  func next(_ path: String, _ parts: [(name: String, value: String)], after rows: Int? = nil)
    -> PageCell
  {
    let number = rows.map { [(Self.fromName, String(from + $0))] } ?? []
    return PageCell(text(.nextPage), link: Self.link(path, parts + number))
  }

  /// A link from a later page of a list to its first one; nil on the first page.
  func first(_ path: String, _ parts: [(name: String, value: String)] = []) -> PageCell? {
    from > 1 ? PageCell(text(.firstPage), link: Self.link(path, parts)) : nil
  }

  static func personLink(_ name: String) -> PageCell {
    PageCell(name, link: "/console/person?name=\(FormFields.encoded(name))")
  }

  static func machineLink(_ id: String, _ name: String?) -> PageCell {
    PageCell(name ?? PageCell.shortened(id), link: "/console/machine?id=\(FormFields.encoded(id))")
  }
}

/// The content of a page.
struct PageContent {
  let title: String
  var head: PageHead?
  let blocks: [PageBlock]
  /// Whether the page only says that what it was asked for does not exist.
  var isMissing = false

  init(title: String, head: PageHead? = nil, blocks: [PageBlock]) {
    self.title = title
    self.head = head
    self.blocks = blocks
  }

  /// The same page, sent as one that says that something does not exist.
  var missing: PageContent {
    var missing = self
    missing.isMissing = true
    return missing
  }

  /// Whether the page needs the script for passkeys.
  var hasPasskey: Bool {
    blocks.contains { if case .passkey = $0 { true } else { false } }
  }

  /// Whether a script of the page asks this server: for a passkey, or for a list while somebody types into its search.
  var asks: Bool {
    hasPasskey || blocks.contains { if case .search(let search) = $0 { search.isLive } else { false } }
  }
}
