import UAFAdministration
import UAFService

/// Tokens and administrators, for those who may change them.
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
