import UAFAdministration
import UAFMessages
import UAFService

/// The pages with tokens and administrators, for those who may change them.
enum AccessPages {
  static func tokens(_ call: PageCall) async throws -> PageContent {
    let tokens = try await AccessAdministration(call.administration).tokens(by: call.caller)
    let now = call.environment.now
    let rows = tokens.map { token -> [PageCell] in
      let isActive = token.revokedAt == nil && token.expiresAt > now
      let state =
        isActive
        ? call.state(.active, .good, .check)
        : token.revokedAt != nil ? call.state(.revoked, .bad, .ban) : call.state(.ended, .quiet, .clock)
      let revoke = PageCall.link("/console/tokens/revoke", [("name", token.name)])
      return [
        PageCell(token.name), PageCell(call.roleText(token.role)), PageCell(call.actor(token.createdBy)),
        call.moment(token.expiresAt), call.moment(token.lastUsedAt), PageCell("", kind: .state(state)),
        isActive ? PageCell(call.text(.revoke), link: revoke) : "",
      ]
    }
    let columns: [PageText] = [.tokenName, .role, .createdBy, .expires, .lastUsed, .state]
    let table = PageTable(
      caption: call.text(.tokens), columns: columns.map(call.text) + [""], rows: rows, empty: call.text(.noTokens),
      count: call.count(rows.count, hasMore: false), order: call.order(columns: columns.count), hidesCaption: true)
    return PageContent(
      title: call.text(.tokens), head: PageHead(primary: call.action(.addToken, "/console/tokens/add", .plus)),
      blocks: [.table(table)])
  }

  static func administrators(_ call: PageCall) async throws -> PageContent {
    let all = try await AccessAdministration(call.administration).administrators(by: call.caller)
    let groups = try await GroupMappingAdministration(call.administration).all(by: call.caller)
    let rows = all.map { administrator -> [PageCell] in
      let name = administrator.name
      // The role is taken when the person leaves the group.
      if let group = groups.first(where: { $0.groupID == administrator.group })?.group {
        return [
          PageCall.personLink(name), PageCell(call.roleText(administrator.role)),
          PageCell(call.language.text(.byGroup, group), link: GroupPages.link(group)),
          call.moment(administrator.addedAt),
          "",
        ]
      }
      let actions = [
        call.action(.changeRole, PageCall.link(setPath, [("name", name), ("role", administrator.role)])),
        call.action(.removeAdministrator, PageCall.link("/console/administrators/remove", [("name", name)])),
      ]
      return [
        PageCall.personLink(name), PageCell(call.roleText(administrator.role)),
        PageCell(call.actor(administrator.addedBy)),
        call.moment(administrator.addedAt),
        PageCell("", kind: .actions(actions, title: call.language.text(.actionsFor, name))),
      ]
    }
    let columns: [PageText] = [.account, .role, .addedBy, .added]
    let table = PageTable(
      caption: call.text(.administrators), columns: columns.map(call.text) + [""], rows: rows,
      empty: call.text(.noAdministrators), count: call.count(rows.count, hasMore: false),
      order: call.order(columns: columns.count), hidesCaption: true)
    return PageContent(
      title: call.text(.administrators), head: PageHead(primary: call.action(.setRole, setPath, .plus)),
      blocks: [.table(table)])
  }

  static let setPath = "/console/administrators/set"
  /// Where the form for the reader's time zone is sent.
  static let zonePath = "/console/about/zone"

  static func about(_ call: PageCall) async throws -> PageContent {
    // The zones of an hour each, and the inhabited ones between them.
    let minutes =
      (stride(from: -720, through: 840, by: 60) + [-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765])
      .sorted()
    let zones = minutes.map { (String($0), ViewerZone(offset: $0, isChosen: true).name) }
    let zone = PageField(
      name: "offset", label: call.text(.zoneField), kind: .choice([("", call.text(.zoneBrowser))] + zones),
      value: call.zone.isChosen ? String(call.zone.offset) : "", hint: call.text(.zoneHow))
    return PageContent(
      title: call.text(.about),
      blocks: [
        .details([
          (call.text(.version), PageCell(call.environment.version)),
          (call.text(.serverURL), PageCell(try call.environment.publicURL())),
          (call.text(.time), call.moment(call.environment.now)),
        ]),
        .form(
          PageForm(title: call.text(.zoneTitle), action: zonePath, button: call.text(.save), fields: [zone])),
      ])
  }
}

/// The forms that make tokens and administrators.
enum AccessForms {
  static let keysPath = "/console/administrators/set-keys"

  /// Adds a token: immediately if the token only allows reading, otherwise after a signature.
  static func addToken(_ call: PageCall) async throws -> FormRoutes.Answer {
    let (role, lifetime) = (try call.role(), try call.length("lifetime"))
    guard role == .auditor else { return .confirm(.createToken(call.fields["name"], role: role, lifetime: lifetime)) }
    let made = try await AccessAdministration(call.administration).createToken(
      call.fields["name"], role: role, lifetime: lifetime, by: call.caller)
    return .page(Self.made(.token(made.text), call))
  }

  /// Gives somebody a role, after a signature.
  ///
  /// If the person has keys that are not accepted for the steps of administrators, these are shown first.
  static func setRole(_ call: PageCall) async throws -> FormRoutes.Answer {
    let (name, role) = (call.fields["name"], try call.role())
    let keys = try await AccessAdministration(call.administration).earlierKeys(of: name, by: call.caller)
    guard !keys.isEmpty else { return .confirm(.setRole(role, of: name, counting: [])) }
    return .page(try earlierKeys(keys, name, role, call))
  }

  /// The page with the keys that are not accepted and the issuers of their codes, and a form that asks whether to accept the
  /// keys.
  private static func earlierKeys(
    _ keys: [EarlierKey], _ name: String, _ role: Role, _ call: PageCall
  ) throws -> PageContent {
    let table = PageTable(
      caption: call.text(.earlierKeys), columns: [.model, .keyID, .issuedBy].map(call.text),
      rows: keys.map {
        [PageCell($0.name.modelText), call.identifier($0.name.idText), PageCell(call.actor($0.issuedBy ?? ""))]
      },
      empty: "")
    let choice = PageField(
      name: "keys", label: call.text(.earlierKeysAsk),
      kind: .choice([("none", call.text(.earlierKeysNone)), ("all", call.text(.earlierKeysAll))]), value: "none")
    let form = PageForm(
      title: call.text(.setRole), action: keysPath, button: call.text(.set),
      fields: [
        .hidden("name", name), .hidden("role", role.rawValue),
        .hidden("shown", keys.map(\.text).joined(separator: "\n")), choice,
      ], isDangerous: true)
    return PageContent(
      title: name,
      blocks: [
        .warning(call.text(.earlierKeysHow)), .table(table),
        .facts([("SHA-256", try String(DangerousStep.digits(keys)))]),
        .form(form),
      ])
  }

  /// The step that gives the role, with all keys that were shown, or with none.
  static func setRoleWithKeys(_ call: PageCall) throws -> DangerousStep {
    let (name, role) = (call.fields["name"], try call.role())
    switch call.fields["keys"] {
    case "none": return .setRole(role, of: name, counting: [])
    case "all":
      return .setRole(role, of: name, counting: try EarlierKey.shown(call.fields["shown"], field: "shown"))
    default: throw AdministrationRefusal.invalid(field: "keys", .unknown)
    }
  }

  /// The page that shows a new token or code, once.
  static func made(_ made: DangerousStep.Made, _ call: PageCall) -> PageContent {
    switch made {
    case .token(let text):
      PageContent(title: call.text(.tokens), blocks: [call.code(text, label: call.text(.tokenMade))])
    case .code(let payload): PeoplePages.issued(payload, title: .codeIssued, how: .enrolHow, call)
    }
  }
}
