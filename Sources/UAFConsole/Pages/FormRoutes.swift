import UAFAdministration
import UAFService

/// What the forms of the console do, by their paths.
enum FormRoutes {
  /// What follows a form.
  enum Result {
    /// The page of this path.
    case redirect(String)
    /// A page that is shown once.
    case page(PageContent)
    /// The step waits for a signature.
    case confirm(DangerousStep)
    /// A file that is sent once, and kept nowhere.
    case file(name: String, String)
  }

  typealias Action = @Sendable (PageCall) async throws -> Result

  /// The action of a path; nil if there is none.
  static func action(_ path: String) -> Action? { all[path] }

  static var paths: [String] { all.keys.sorted() }

  private static func person(_ call: PageCall) -> Result {
    .redirect("/console/person?name=\(FormFields.encoded(call.fields["name"]))")
  }

  private static let all: [String: Action] = [
    "/console/people/add": { call in
      try await AccountAdministration(call.administration).add(call.fields["name"], by: call.caller)
      return person(call)
    },
    "/console/person/enrol": { call in try await issueCode(call) },
    "/console/person/close-code": { call in
      try await EnrolmentAdministration(call.administration).close(for: call.fields["name"], by: call.caller)
      return person(call)
    },
    "/console/person/unlock": { call in .page(try await UnlockPages.issue(call)) },
    "/console/person/revoke": { call in try await revokeKey(call) },
    "/console/person/revoke-all": { call in
      .confirm(.revokeAll(of: call.fields["name"], reason: call.fields["reason"]))
    },
    "/console/person/delete": { call in
      .confirm(.deleteAccount(call.fields["name"], reason: call.fields["reason"]))
    },
    "/console/person/disable": { call in
      try await AccountStateForms.disable(call).map(Result.confirm) ?? person(call)
    },
    "/console/person/lock": { call in try await AccountStateForms.lock(call).map(Result.confirm) ?? person(call) },
    "/console/person/enable": { call in .confirm(.enableAccount(call.fields["name"])) },
    "/console/policies/preview": { call in .page(try await PolicyPages.preview(call)) },
    "/console/policies/save": { call in .confirm(try await PolicyPages.step(call)) },
    MachinePolicyForms.previewPath: { call in .page(try await MachinePolicyForms.preview(call)) },
    MachinePolicyForms.savePath: { call in .confirm(try await MachinePolicyForms.step(call)) },
    "/console/machine/revoke": { call in
      .confirm(.revokeMachine(call.fields["id"], reason: call.fields["reason"]))
    },
    "/console/join-codes/issue": { call in .page(try await JoinCodePages.issue(call)) },
    "/console/join-codes/close": { call in
      try call.caller.require(.joinMachines)
      try await JoinCodeAdministration(call.administration).close(try call.number("number"), by: call.caller)
      return .redirect("/console/machines")
    },
    "/console/approvals/ask": { call in
      let payload = try await ApprovalAdministration(call.administration).create(
        call.fields["text"], for: call.fields["name"], by: call.caller)
      return .page(PeoplePages.issued(payload, title: .approvalMade, how: nil, call))
    },
    "/console/approvals/close": { call in
      try call.caller.require(.approve)
      try await ApprovalAdministration(call.administration).close(try call.number("number"), by: call.caller)
      return .redirect("/console/approvals")
    },
    UploadLimit.checkPath: { call in .page(try await ListPages.check(call)) },
    UploadLimit.issuePath: { call in try await ListPages.issue(call) },
    "/console/tokens/add": { call in try await AccessForms.addToken(call) },
    "/console/tokens/revoke": { call in
      try await AccessAdministration(call.administration).revokeToken(call.fields["name"], by: call.caller)
      return .redirect("/console/tokens")
    },
    "/console/administrators/set": { call in try await AccessForms.setRole(call) },
    AccessForms.keysPath: { call in .confirm(try AccessForms.setRoleWithKeys(call)) },
    "/console/administrators/remove": { call in .confirm(.removeAdministrator(call.fields["name"])) },
  ]

  /// A key of an account that has a role, or is of the group `privileged`, is revoked with a signature; any other one at once.
  private static func revokeKey(_ call: PageCall) async throws -> Result {
    try call.caller.require(.revoke)
    let (name, reason) = (call.fields["name"], call.fields["reason"])
    guard let key = EarlierKey(call.fields["key"]), key.issuedBy == nil else {
      throw AdministrationRefusal.invalid(field: "key", reason: "is no key")
    }
    if call.caller.role.reachesPrivileged,
      try await AccountAdministration(call.administration).isPrivileged(name, by: call.caller)
    {
      return .confirm(.revokeKey(key, of: name, reason: reason))
    }
    _ = try await KeyAdministration(call.administration).revoke(
      .one(key.aaid, key.keyID, of: name), reason: reason, by: call.caller)
    return person(call)
  }

  /// A code with which somebody could become an administrator, or a person of the group `privileged`, is issued with a
  /// signature; any other one is issued at once.
  private static func issueCode(_ call: PageCall) async throws -> Result {
    let (name, lifetime) = (call.fields["name"], try call.number("lifetime"))
    let accounts = AccountAdministration(call.administration)
    if call.caller.role.reachesPrivileged, try await accounts.isPrivileged(name, by: call.caller) {
      return .confirm(.issueCode(for: name, lifetime: lifetime))
    }
    let code = try await EnrolmentAdministration(call.administration).issue(
      for: name, lifetime: lifetime, by: call.caller)
    return .page(AccessForms.made(.code(code), call))
  }
}
