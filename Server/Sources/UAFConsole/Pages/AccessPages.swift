import UAFAdministration
import UAFMessages
import UAFService

/// The pages with tokens and administrators, for those who may change them.
enum AccessPages {
  static func tokens(_ call: PageCall) async throws -> PageContent {
    let tokens = try await AccessAdministration(call.administration).tokens(by: call.caller)
    let now = call.environment.now
    let rows = tokens.map { token -> [PageCell] in
      let state: PageText = token.revokedAt != nil ? .revoked : token.expiresAt > now ? .active : .ended
      return [
        PageCell(token.name), PageCell(call.roleText(token.role)), PageCell(token.createdBy),
        PageCell(call.time(token.expiresAt)), PageCell(call.time(token.lastUsedAt)), PageCell(call.text(state)),
      ]
    }
    let table = PageTable(
      caption: call.text(.tokens),
      columns: [.tokenName, .role, .createdBy, .expires, .lastUsed, .state].map(call.text), rows: rows,
      empty: call.text(.nothing))
    let name = PageField(name: "name", label: call.text(.tokenName), isRequired: true, maximum: 128)
    let lifetime = PageField(
      name: "lifetime", label: call.text(.lifetime), kind: .number, value: "86400", isRequired: true)
    var blocks: [PageBlock] = [
      .table(table),
      .form(
        PageForm(
          title: call.text(.addToken), action: "/console/tokens/add", button: call.text(.add),
          fields: [name, call.roleField, lifetime])),
    ]
    let usable = tokens.filter { $0.revokedAt == nil && $0.expiresAt > now }.map(\.name)
    if !usable.isEmpty {
      let choice = PageField(name: "name", label: call.text(.tokenName), kind: .choice(usable.map { ($0, $0) }))
      blocks.append(
        .form(
          PageForm(
            title: call.text(.revokeToken), action: "/console/tokens/revoke", button: call.text(.revoke),
            fields: [choice], isDangerous: true)))
    }
    return PageContent(title: call.text(.tokens), blocks: blocks)
  }

  static func administrators(_ call: PageCall) async throws -> PageContent {
    let all = try await AccessAdministration(call.administration).administrators(by: call.caller)
    let rows = all.map { administrator -> [PageCell] in
      [
        PageCall.personLink(administrator.name), PageCell(call.roleText(administrator.role)),
        PageCell(administrator.addedBy), PageCell(call.time(administrator.addedAt)),
      ]
    }
    let table = PageTable(
      caption: call.text(.administrators), columns: [.account, .role, .addedBy, .added].map(call.text), rows: rows,
      empty: call.text(.nothing))
    let name = PageField(name: "name", label: call.text(.accountName), isRequired: true, maximum: 128)
    let choice = PageField(
      name: "name", label: call.text(.accountName), kind: .choice(all.map { ($0.name, $0.name) }))
    return PageContent(
      title: call.text(.administrators),
      blocks: [
        .table(table),
        .form(
          PageForm(
            title: call.text(.setRole), action: "/console/administrators/set", button: call.text(.set),
            fields: [name, call.roleField])),
        .form(
          PageForm(
            title: call.text(.removeAdministrator), action: "/console/administrators/remove",
            button: call.text(.remove), fields: [choice], isDangerous: true)),
      ])
  }

  static func about(_ call: PageCall) async throws -> PageContent {
    PageContent(
      title: call.text(.about),
      blocks: [
        .facts([
          (call.text(.version), call.environment.version), (call.text(.serverURL), try call.environment.publicURL()),
          (call.text(.time), call.time(call.environment.now)),
        ])
      ])
  }
}

/// The forms that make tokens and administrators.
enum AccessForms {
  static let keysPath = "/console/administrators/set-keys"

  /// Adds a token: immediately if the token only allows reading, otherwise after a signature.
  static func addToken(_ call: PageCall) async throws -> FormRoutes.Answer {
    let (role, lifetime) = (try call.role(), try call.number("lifetime"))
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
      rows: keys.map { [PageCell($0.name.modelText), PageCell($0.name.idText), PageCell($0.issuedBy ?? "")] },
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
      PageContent(title: call.text(.tokens), blocks: [.code(text, label: call.text(.tokenMade))])
    case .code(let payload): PeoplePages.issued(payload, title: .codeIssued, how: .enrolHow, call)
    }
  }
}
