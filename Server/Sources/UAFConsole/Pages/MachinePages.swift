import UAFAdministration
import UAFMessages
import UAFService

/// The pages with the machines, and with a single machine.
enum MachinePages {
  static let path = "/console/machines"

  /// The list with only the machines that lack a key or an authority.
  static func lackingLink(_ anchor: TrustAnchor) -> String { PageCall.link(path, [("lacks", anchor.name)]) }

  private static let columns: [PageText] = [
    .machineName, .state, .group, .accounts, .keys, .lastUsed, .lastReport, .locksReported, .module,
  ]
  private static let names = ["words", "state", TableOrder.name]
  /// The orders of the store, by the columns of the list.
  private static let orders: [MachineQuery.Order?] = [
    .name, nil, .group, .accounts, .keys, .lastUsed, .lastReport, nil, .version,
  ]

  static func list(_ call: PageCall) async throws -> PageContent {
    if let lacks = call.value("lacks") { return try await lacking(lacks, call) }
    var query = MachineQuery(limit: PageLimit.standard)
    if let wanted = call.value("state") {
      guard let standing = FleetMachine.Standing(rawValue: wanted) else {
        throw AdministrationRefusal.invalid(field: "state", .unknown)
      }
      query.standing = standing
    }
    query.words = call.fields["words"]
    let (order, name) = try call.storedOrder(
      orders.map { $0?.rawValue }, keeping: ["words", "state"])
    query.order = name.flatMap { MachineQuery.Order(rawValue: $0) } ?? .id
    query.isDescending = order.isDescending
    let found = try await MachineAdministration(call.administration).search(
      query, after: call.fields["after"], by: call.caller)
    let page = found.page
    let rows = page.rows.map { row($0, call) }
    let isSearch = query.standing != nil || !query.words.isEmpty
    let kept = names.map { ($0, call.fields[$0]) }
    let table = PageTable(
      caption: call.text(.machines), columns: columns.map(call.text) + [""], rows: rows,
      empty: call.text(!isSearch ? .noMachinesYet : page.next == nil ? .noneFound : .noneHere),
      first: call.first(path, kept),
      next: page.next.map { call.next(path, kept + [("after", $0)], after: rows.count) },
      count: found.isCutShort
        ? call.language.text(.foundSoFar, String(rows.count))
        : call.count(rows.count, hasMore: page.next != nil, of: found.total), order: order,
      picking: PeopleBulk.picking(page.rows, call), hidesCaption: true)
    var head = PageHead()
    if call.allows(.joinMachines) {
      head.primary = call.action(.joinCodeIssue, JoinCodePages.issuePath, .plus)
    }
    var part: [PageBlock] = []
    if found.isPart {
      part.append(.aside(call.language.text(.onlyFirstSorted, call.language.grouped(FleetSearch.mostSorted))))
    }
    if found.isCutShort {
      part.append(.aside(call.language.text(.searchCutShort, call.language.grouped(query.mostLookedAt))))
    }
    return PageContent(
      title: call.text(.machines), head: head,
      blocks: [.search(search(call))] + part + [.table(table)])
  }

  /// The machines that lack a key or an authority of this server, in the order of their device ids.
  ///
  /// Every machine lacks what this server does not have, so for such a name the page says that instead.
  private static func lacking(_ typed: String, _ call: PageCall) async throws -> PageContent {
    let trust = TrustAdministration(call.administration)
    let name = TrustAnchor(typed: typed)?.name ?? typed
    let coming = try await trust.coming(by: call.caller).first { $0.anchor.name == name }
    let isKey = call.environment.facts.keys(call.environment.now).contains { $0.id == name }
    guard let anchor = TrustAnchor(name), coming != nil || isKey else {
      let content = PageContent(
        title: call.text(.problem),
        blocks: [
          .paragraph(call.language.text(.noSuchAnchor, PageCell.shortened(name))),
          .links([call.action(.comingTrust, "/console/settings")], title: call.text(.settings)),
        ])
      return content.missing
    }
    let page = try await trust.lacking(name, after: call.fields["after"], by: call.caller)
    let total = try await trust.countLacking(anchor, by: call.caller)
    let rows = page.rows.map { row($0, call) }
    let table = PageTable(
      caption: call.text(.machines), columns: columns.map(call.text) + [""], rows: rows, empty: call.text(.nobodyLacks),
      first: call.first(path, [("lacks", name)]),
      next: page.next.map { call.next(path, [("lacks", name), ("after", $0)], after: rows.count) },
      count: call.count(rows.count, hasMore: page.next != nil, of: total),
      picking: PeopleBulk.picking(page.rows, call), hidesCaption: true)
    let title = call.language.text(.lackingTitle, SettingsPage.word(anchor, call), PageCell.shortened(name))
    let subtitle = coming.map { call.language.text(.usedFrom, call.time($0.usedFrom)) } ?? ""
    return PageContent(
      title: title, head: PageHead(subtitle: subtitle),
      blocks: [.paragraph(call.text(.lackingShown)), .table(table)])
  }

  private static func row(_ machine: FleetMachine, _ call: PageCall) -> [PageCell] {
    let contact = machine.joined?.contact
    let system = [machine.model, machine.system].compactMap(\.self).joined(separator: ", ")
    var menu: PageCell = ""
    if canRevoke(machine, call) {
      menu = PageCell(
        "",
        kind: .actions(
          [call.action(.revokeMachineShort, revokeLink(machine.id))],
          title: call.language.text(.actionsFor, machine.name ?? machine.id)))
    }
    return [
      PageCell(
        machine.name ?? PageCell.shortened(machine.id), link: PageCall.machineLink(machine.id, nil).link, note: system),
      PageCell("", kind: .state(state(machine, call))), PageCell(machine.joined?.group ?? ""),
      PageCell(String(machine.people)), PageCell(String(machine.keys)), call.moment(machine.lastUsedAt),
      call.momentOrNothing(contact?.at),
      PageCell(contact.map { String($0.locks.named.count + $0.locks.more) } ?? ""), PageCell(contact?.module ?? ""),
      menu,
    ]
  }

  static func state(_ machine: FleetMachine, _ call: PageCall) -> PageState {
    switch machine.standing(at: call.environment.now) {
    case .reporting: call.state(.reporting, .good, .check)
    case .silent: call.state(.silent, .warn, .clock)
    case .neverReported: call.state(.neverReported, .warn, .clock)
    case .notJoined: call.state(.notJoined, .quiet, .machines)
    case .departed: call.state(.departed, .quiet, .ban)
    }
  }

  /// The box and the states as chips; both keep the order, and each keeps the other.
  private static func search(_ call: PageCall) -> PageSearch {
    let states: [(value: String, word: PageText)] = [
      ("", .allOfThem), ("reporting", .reporting), ("silent", .silent), ("neverReported", .neverReported),
      ("notJoined", .notJoined), ("departed", .departed),
    ]
    return PageSearch(
      action: path, button: call.text(.search),
      box: PageField(name: "words", label: call.text(.machineWords), value: call.fields["words"], maximum: 100),
      chips: states.map { value, word in
        PageSearch.Chip(
          text: call.text(word),
          link: PageCall.link(
            path,
            [
              ("words", call.fields["words"]), ("state", value),
              (TableOrder.name, call.fields[TableOrder.name]),
            ]),
          isChosen: call.fields["state"] == value)
      }, chipTitle: call.text(.state),
      kept: [
        .hidden("state", call.fields["state"]),
        .hidden(TableOrder.name, call.fields[TableOrder.name]),
      ], isLive: true)
  }

  private static func revokeLink(_ id: String) -> String { "/console/machine/revoke?id=\(FormFields.encoded(id))" }

  private static func canRevoke(_ machine: FleetMachine, _ call: PageCall) -> Bool {
    let isJoined = machine.joined.map { $0.departedAt == nil } ?? false
    return call.allows(.revoke) && (isJoined || machine.keys > 0)
  }

  private static func reported(_ contact: MachineContact?, _ call: PageCall) -> [(name: String, value: PageCell)] {
    guard let contact else { return [] }
    return [
      (call.text(.lastReport), call.moment(contact.at)), (call.text(.module), PageCell(contact.module)),
      (call.text(.policyInUse), PageCell(contact.policy.map { String($0) } ?? call.text(.none))),
      (call.text(.locksReported), PageCell(String(contact.locks.named.count + contact.locks.more))),
      (call.text(.copySeen), call.moment(contact.copySeenAt)),
    ] + (contact.examination.map { [(call.text(.doctorsFailures), failures($0, call))] } ?? [])
  }

  private static func failures(_ examination: MachineExamination, _ call: PageCall) -> PageCell {
    let list = examination.failures.isEmpty ? call.text(.none) : examination.failures.joined(separator: ", ")
    return PageCell("\(list) (\(call.moment(examination.at).text))")
  }

  /// The table of the wrong values in a row that a machine has reported; nil if it reports none.
  private static func wrongValueTable(_ wrong: ReportedWrongValues, _ call: PageCall) -> PageTable? {
    guard !wrong.named.isEmpty || wrong.more > 0 else { return nil }
    let rows = wrong.named.map { attempts -> [PageCell] in
      [
        PageCall.personLink(attempts.account), PageCell(call.language.authenticator(attempts.type)),
        PageCell(call.language.text(attempts.origin)),
        PageCell(String(attempts.count)),
      ]
    }
    let others: [[PageCell]] = wrong.more > 0 ? [["", "", "", PageCell("+\(wrong.more)")]] : []
    return PageTable(
      caption: call.text(.wrongValuesReported),
      columns: [.account, .authenticators, .kind, .valuesInARow].map(call.text), rows: rows + others,
      empty: call.text(.noWrongValues))
  }

  /// The table of the locks that a machine has reported.
  private static func lockTable(_ machine: FleetMachine, _ locks: ReportedLocks, _ call: PageCall) -> PageTable {
    let rows = locks.named.map { lock -> [PageCell] in
      let unlock = PageCall.link("/console/person/unlock", [("name", lock.account), ("machine", machine.id)])
      return [
        PageCall.personLink(lock.account), PageCell(call.language.authenticator(lock.type)),
        PageCell(call.language.text(lock.origin)), call.moment(lock.until),
        call.allows(.unlock) ? PageCell(call.text(.unlockMachine), link: unlock) : "",
      ]
    }
    return PageTable(
      caption: call.text(.locksReported),
      columns: [.account, .authenticators, .kind, .expires].map(call.text) + [""],
      rows: rows, empty: call.text(.noLocks))
  }

  static func machine(_ call: PageCall) async throws -> PageContent {
    let id = call.fields["id"]
    let found = try await MachineAdministration(call.administration).machine(id, by: call.caller)
    let machine = found.machine
    let joined = machine.joined
    let facts: PageBlock = .details(
      [
        (call.text(.machineName), PageCell(machine.name ?? "")), (call.text(.deviceID), call.identifier(machine.id)),
        (call.text(.machineModel), PageCell(machine.model ?? "")),
        (call.text(.machineSystem), PageCell(machine.system ?? "")),
        (call.text(.registered), call.moment(machine.registeredAt)),
        (call.text(.lastUsed), call.moment(machine.lastUsedAt)),
        (call.text(.group), PageCell(joined?.group ?? call.text(.none))),
      ]
        + (joined == nil
          ? []
          : [(call.text(.joined), call.moment(joined?.joinedAt)), (call.text(.left), call.moment(joined?.departedAt))])
        + reported(joined?.contact, call))
    let table = PeoplePages.keyTable(found.keys, call, column: .account) { PageCall.personLink($0.username) }
    var blocks: [PageBlock] = [facts]
    if let contact = joined?.contact {
      blocks.append(.table(lockTable(machine, contact.locks, call)))
      if let table = wrongValueTable(contact.wrongValues, call) { blocks.append(.table(table)) }
    }
    blocks.append(.table(table))
    var head = PageHead(states: [state(machine, call)])
    let isJoined = joined.map { $0.departedAt == nil } ?? false
    if call.allows(.revoke), isJoined || found.keys.contains(where: { $0.revocation == nil }) {
      head.dangerous = [call.action(.revokeMachine, revokeLink(id))]
    }
    return PageContent(title: machine.name ?? id, head: head, blocks: blocks)
  }
}

/// The page with the machines that say that they have joined, and that this server does not know.
enum UnknownMachinesPage {
  static let path = "/console/machines/unknown"

  static func content(_ call: PageCall) async throws -> PageContent {
    let found = try await AttentionAdministration(call.administration).unknownMachines(by: call.caller)
    let columns: [PageText] = [.machineName, .deviceID, .address, .firstRefused, .lastRefused, .reportsRefused]
    let table = PageTable(
      caption: call.text(.unknownMachines), columns: columns.map(call.text),
      rows: found.map { row($0, call) }, empty: call.text(.noUnknownMachines),
      count: call.count(found.count, hasMore: false), order: call.order(columns: columns.count),
      hidesCaption: true)
    var head = PageHead()
    if call.allows(.joinMachines) { head.primary = call.action(.joinCodeIssue, JoinCodePages.issuePath, .plus) }
    return PageContent(
      title: call.text(.unknownMachines), head: head,
      blocks: [.paragraph(call.text(.unknownMachinesHelp)), .table(table)])
  }

  private static func row(_ machine: UnknownMachine, _ call: PageCall) -> [PageCell] {
    [
      PageCell(machine.name ?? ""), call.identifier(machine.id), PageCell(machine.address),
      call.moment(machine.firstAt),
      call.moment(machine.lastAt), PageCell(String(machine.count)),
    ]
  }
}
