import UAFAdministration
import UAFMessages
import UAFService

/// The pages with the accounts, and with a single account.
enum PeoplePages {
  static func list(_ call: PageCall) async throws -> PageContent {
    let search = try PeopleSearch(call)
    let found = try await search.found(call)
    let page = found.page
    let columns: [PageText] = [.account, .displayName, .department, .state, .group, .keys, .lastUsed]
    let rows = page.rows.map { row -> [PageCell] in
      let account = row.summary
      return [
        PageCall.personLink(account.username), PageCell(account.profile.displayName ?? ""),
        PageCell(account.profile.department ?? ""), AccountStateForms.cell(account, call), PageCell(row.group ?? ""),
        PageCell(String(account.keys), note: account.hasOpenCode ? call.text(.openCode) : ""),
        call.moment(account.lastUsedAt), PersonActions.menu(account, call),
      ]
    }
    let table = PageTable(
      caption: call.text(.people), columns: columns.map(call.text) + [""], rows: rows,
      empty: call.text(PeopleSearch.isEmpty(call) ? .noPeople : .nobodyFound),
      first: call.first("/console/people", PeopleSearch.kept(call)),
      next: page.next.map { PeopleSearch.next($0, after: rows.count, call) },
      count: call.count(rows.count, hasMore: page.next != nil, of: found.total), order: found.order,
      picking: PeopleBulk.picking(page.rows.map(\.summary.username), call), hidesCaption: true)
    var head = PageHead()
    if call.allows(.manageAccounts) {
      head.primary = call.action(.addAccount, "/console/people/add", .plus)
    } else if call.allows(.enrol) {
      head.primary = call.action(.enrolOne, "/console/person/enrol", .plus)
    }
    if call.allows(.enrol) { head.more.append(call.action(.enrolList, ListPages.path)) }
    let isPart =
      found.order?.column != nil && found.total?.hasMore == true && found.total?.rows == SortedAccounts.mostSorted
    let part: [PageBlock] =
      isPart ? [.aside(call.language.text(.onlyFirstPeople, call.language.grouped(SortedAccounts.mostSorted)))] : []
    let links = call.value("memberOf").map { name in
      PageBlock.links(
        [PageAction(text: call.language.text(.groupNamed, name), link: GroupPages.link(name))],
        title: call.text(.groups))
    }
    return PageContent(
      title: call.text(.people), head: head,
      blocks: [.search(PeopleSearch.search(call))] + [links].compactMap(\.self) + part + [.table(table)])
  }

  static func person(_ call: PageCall) async throws -> PageContent {
    let name = call.fields["name"]
    let account = try await AccountAdministration(call.administration).account(name, by: call.caller)
    let keys = try await KeyAdministration(call.administration).keys(of: name, by: call.caller)
    let passkeys = try await KeyAdministration(call.administration).passkeys(of: name, by: call.caller)
    let profile = account.summary.profile
    let person = ProfileField.allCases.compactMap { field in
      profile[field].map { (call.text(ProfileForm.label(field)), PageCell($0)) }
    }
    let links = profile.groups.map { PageAction(text: $0, link: GroupPages.link($0)) }
    let groups = links.isEmpty ? [] : [(call.text(.groups), PageCell("", kind: .links(links)))]
    let facts: PageBlock = .details(
      person + groups + [
        (call.text(.group), PageCell(account.group ?? call.text(.none))),
        (call.text(.lastUsed), call.moment(account.summary.lastUsedAt)),
        (call.text(.openCode), PageCell(call.yesOrNo(account.summary.hasOpenCode))),
      ])
    let table = keyTable(keys, call, column: .machine) { key in
      key.deviceID.map { PageCall.machineLink($0, key.deviceName) } ?? ""
    }
    let tables = passkeys.isEmpty ? [table] : (keys.isEmpty ? [] : [table]) + [passkeyTable(passkeys, call)]
    let head = PersonActions.head(account.summary, keys, passkeys, call)
    return PageContent(
      title: name, head: head,
      blocks: [facts] + tables.map(PageBlock.table) + [
        .heading(call.text(.activity)), .links(activity(name, call), title: call.text(.activity)),
        .table(try await latest(name, call)), .aside(call.text(.notDecidedHere)),
      ])
  }

  /// Links to what a person did today, yesterday and ever.
  private static func activity(_ name: String, _ call: PageCall) -> [PageAction] {
    let today = call.zone.startOfDay(call.environment.now)
    let yesterday = call.zone.startOfDay(today - 1)
    func link(_ word: PageText, _ since: Int64?, _ until: Int64?) -> PageAction {
      call.action(
        word,
        PageCall.link(
          "/console/audit",
          [
            ("account", name), ("since", since.map(call.environment.timeText) ?? ""),
            ("until", until.map(call.environment.timeText) ?? ""),
          ]))
    }
    return [link(.today, today, nil), link(.yesterday, yesterday, today), link(.everything, nil, nil)]
  }

  private static func latest(_ name: String, _ call: PageCall) async throws -> PageTable {
    var filter = AuditFilter(account: name)
    filter.isNewestFirst = true
    let page = try await AuditAdministration(call.administration).page(filter, limit: 5, by: call.caller)
    return AuditRowPages.table(page, caption: call.text(.latestRows), next: nil, call)
  }

  /// The table with the keys of a person or of a machine.
  ///
  /// - Parameter other: makes the cell of a key in the first column.
  static func keyTable(
    _ keys: [KeyRecord], _ call: PageCall, column: PageText, other: (KeyRecord) -> PageCell
  ) -> PageTable {
    let rows = keys.map { key -> [PageCell] in
      [
        other(key), call.model(key.aaid), call.identifier(key.keyID.text), call.moment(key.registeredAt),
        call.moment(key.lastUsedAt), PageCell(String(key.signCounter)),
        PageCell(call.actor(key.origin.issuedBy ?? "")), PageCell(call.yesOrNo(key.countsForSteps)),
        state(key.revocation, call),
      ]
    }
    return PageTable(
      caption: call.text(.keys),
      columns: [column, .model, .keyID, .registered, .lastUsed, .counter, .issuedBy, .countsForSteps, .state].map(
        call.text),
      rows: rows, empty: call.text(.noKeysHere))
  }

  private static func passkeyTable(_ passkeys: [PasskeyRecord], _ call: PageCall) -> PageTable {
    let rows = passkeys.map { passkey -> [PageCell] in
      let copies: PageText =
        passkey.isBackupEligible ? (passkey.isBackedUp ? .backedUp : .mayBeBackedUp) : .onOneDevice
      let attested = passkey.isAttested ? call.administration.models.passkeys.name(of: passkey.aaguid) : nil
      return [
        call.identifier(passkey.idText), PageCell(attested ?? passkey.aaguid.description), PageCell(call.text(copies)),
        call.moment(passkey.registeredAt), call.moment(passkey.lastUsedAt),
        PageCell(String(passkey.signCounter)), PageCell(call.actor(passkey.origin.issuedBy ?? "")),
        PageCell(call.yesOrNo(passkey.countsForSteps)), state(passkey.revocation, call),
      ]
    }
    return PageTable(
      caption: call.text(.passkeys),
      columns: [.keyID, .model, .copies, .registered, .lastUsed, .counter, .issuedBy, .countsForSteps, .state].map(
        call.text),
      rows: rows, empty: call.text(.noKeysHere))
  }

  private static func state(_ revocation: Revocation?, _ call: PageCall) -> PageCell {
    guard let revocation else { return call.state(.active, .good, .check) }
    return call.state(
      .revoked, .bad, .ban,
      note: call.language.text(.revokedBy, call.time(revocation.time), call.actor(revocation.by), revocation.reason))
  }

  /// The page that shows a new code, once.
  static func issued(_ payload: IssuedPayload, title: PageText, how: PageText?, _ call: PageCall) -> PageContent {
    let line = payload.payload.encoded
    let label = call.text(how == nil ? .payloadLine : .enrolLine)
    var blocks: [PageBlock] = [
      .paragraph(call.language.text(title, payload.payload.username, call.time(payload.payload.expires)))
    ]
    if let code = payload.payload.code { blocks.append(call.code(code.text, label: call.text(.sheetCode))) }
    if let how { blocks.append(.paragraph(call.text(how))) }
    blocks.append(call.code(line, label: label))
    if let picture = QRCode(line) { blocks.append(.picture(picture, label: call.text(.payloadPicture))) }
    return PageContent(title: payload.payload.username, blocks: blocks)
  }
}

/// The search for accounts: its form, and the query for the store.
struct PeopleSearch {
  private static let secondsOfDay: Int64 = 86_400
  /// The field of the box, which every page of the console has.
  static let boxName = "search"
  static let names = ["search", "memberOf", "prefix", "state", "group", "idle"]

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

  /// The orders of the store, by the columns of the list.
  private static let orders: [AccountOrder?] = [.name, .displayName, .department, nil, nil, .keys, .lastUsed]

  /// The fields of the query that the pages of a list keep.
  static func kept(_ call: PageCall) -> [(name: String, value: String)] {
    (names + [TableOrder.name]).map { ($0, call.fields[$0]) }
  }

  /// A page of the people, how many there are, and their order.
  ///
  /// A search for a text has an order of its own: who is most likely meant comes first.
  func found(_ call: PageCall) async throws -> (page: Page<AccountRow>, total: RowTotal?, order: TableOrder?) {
    let accounts = AccountAdministration(call.administration)
    guard people.text == nil else {
      return (try await accounts.page(query, group: group, of: people, by: call.caller), nil, nil)
    }
    let (order, name) = try call.storedOrder(Self.orders.map { $0?.rawValue }, keeping: Self.names)
    guard let sorted = name.flatMap({ AccountOrder(rawValue: $0) }), sorted != .name || order.isDescending else {
      let page = try await accounts.page(query, group: group, of: people, by: call.caller)
      return (page, try await accounts.total(query, group: group, of: people, by: call.caller), order)
    }
    let found = try await accounts.sorted(
      query, by: sorted, isDescending: order.isDescending, group: group, of: people, by: call.caller)
    return (found.page, found.total, order)
  }

  /// Whether the request searches for nothing.
  static func isEmpty(_ call: PageCall) -> Bool { names.allSatisfy { call.fields[$0].isEmpty } }

  /// The box, the states as chips, and the further fields.
  static func search(_ call: PageCall) -> PageSearch {
    let states: [(SearchedState?, PageText)] = [
      (nil, .allOfThem), (.active, .active), (.locked, .locked), (.disabled, .disabled),
    ]
    let chips = states.map { state, word -> PageSearch.Chip in
      let value = state?.rawValue ?? ""
      let kept = names.filter { $0 != "state" }.map { ($0, call.fields[$0]) }
      return PageSearch.Chip(
        text: call.text(word), link: PageCall.link("/console/people", kept + [("state", value)]),
        isChosen: call.fields["state"] == value)
    }
    return PageSearch(
      action: "/console/people", button: call.text(.search),
      box: PageField(name: boxName, label: call.text(.contains), value: call.fields[boxName], maximum: 64),
      chips: chips, chipTitle: call.text(.state), moreTitle: call.text(.moreFilters),
      more: [
        PageField(name: "prefix", label: call.text(.beginsWith), value: call.fields["prefix"], maximum: 128),
        PageField(name: "memberOf", label: call.text(.memberOf), value: call.fields["memberOf"], maximum: 64),
        PageField(name: "group", label: call.text(.group), value: call.fields["group"]),
        PageField(name: "idle", label: call.text(.idleDays), kind: .number, value: call.fields["idle"]),
      ], kept: [.hidden("state", call.fields["state"])], isLive: true)
  }

  /// A link to the next page, with the same search.
  static func next(_ after: String, after rows: Int, _ call: PageCall) -> PageCell {
    call.next("/console/people", kept(call) + [("after", after)], after: rows)
  }
}
