import UAFAdministration
import UAFService

/// The actions of the console's forms, by their paths.
enum FormRoutes {
  /// The response to a form.
  enum Answer {
    /// A redirect to this path.
    case redirect(String)
    /// A page that is shown only once.
    case page(PageContent)
    /// A step that needs a signature. It is tried out first, so that nobody signs a step that would be refused.
    case confirm(DangerousStep)
    /// A step that needs a signature and that the form has checked already; trying it out would take seconds.
    case confirmChecked(DangerousStep)
    /// A file that is sent once, and not stored.
    case file(name: String, String)
  }

  /// A form, and the permission that its sender needs.
  ///
  /// The operation that the action calls checks the permission too. It is checked here first, so that a sender without the
  /// permission gets the same refusal whatever the fields contain.
  struct Route: Sendable {
    let permission: Permission
    let action: @Sendable (PageCall) async throws -> Answer

    /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
    func perform(_ call: PageCall) async throws -> Answer {
      try call.caller.require(permission)
      return try await action(call)
    }
  }

  static var paths: [String] { all.keys.sorted() }

  private static func person(_ call: PageCall) -> Answer {
    .redirect("/console/person?name=\(FormFields.encoded(call.fields["name"]))")
  }

  /// The forms by their paths.
  static let all: [String: Route] = [PeopleBulk.routes, GroupPages.forms, GroupMappingPages.forms].reduce(own) {
    all, more in
    all.merging(more) { first, _ in first }
  }

  private static let own: [String: Route] = [
    "/console/people/add": Route(permission: .manageAccounts) { call in
      try await AccountAdministration(call.administration).add(call.fields["name"], by: call.caller)
      return person(call)
    },
    ProfileForm.path: Route(permission: .manageAccounts) { call in
      try await ProfileForm.change(call)
      return person(call)
    },
    "/console/person/enrol": Route(permission: .enrol) { call in try await issueCode(call) },
    "/console/person/close-code": Route(permission: .enrol) { call in
      try await EnrolmentAdministration(call.administration).close(for: call.fields["name"], by: call.caller)
      return person(call)
    },
    "/console/person/unlock": Route(permission: .unlock) { call in .page(try await UnlockPages.issue(call)) },
    "/console/person/revoke": Route(permission: .revoke) { call in try await revokeKey(call) },
    "/console/person/revoke-all": Route(permission: .revoke) { call in
      .confirm(.revokeAll(of: call.fields["name"], reason: call.fields["reason"]))
    },
    "/console/person/delete": Route(permission: .manageAccounts) { call in
      .confirm(.deleteAccount(call.fields["name"], reason: call.fields["reason"]))
    },
    "/console/person/disable": Route(permission: .manageAccounts) { call in
      try await AccountStateForms.disable(call).map { .confirm($0) } ?? person(call)
    },
    "/console/person/lock": Route(permission: .manageAccounts) { call in
      try await AccountStateForms.lock(call).map { .confirm($0) } ?? person(call)
    },
    "/console/person/enable": Route(permission: .manageAccounts) { call in
      .confirm(.enableAccount(call.fields["name"]))
    },
    "/console/policies/preview": Route(permission: .read) { call in .page(try await PolicyPages.preview(call)) },
    "/console/policies/save": Route(permission: .managePolicies) { call in
      .confirmChecked(try await PolicyPages.step(call))
    },
    MachinePolicyForms.previewPath: Route(permission: .managePolicies) { call in
      .page(try await MachinePolicyForms.preview(call))
    },
    MachinePolicyForms.savePath: Route(permission: .managePolicies) { call in
      .confirmChecked(try await MachinePolicyForms.step(call))
    },
    "/console/machine/revoke": Route(permission: .revoke) { call in
      .confirm(.revokeMachine(call.fields["id"], reason: call.fields["reason"]))
    },
    "/console/join-codes/issue": Route(permission: .joinMachines) { call in
      .page(try await JoinCodePages.issue(call))
    },
    "/console/join-codes/close": Route(permission: .joinMachines) { call in
      try await JoinCodeAdministration(call.administration).close(try call.number("number"), by: call.caller)
      return .redirect(JoinCodePages.path)
    },
    "/console/approvals/ask": Route(permission: .approve) { call in
      let payload = try await ApprovalAdministration(call.administration).create(
        call.fields["text"], for: call.fields["name"], by: call.caller)
      return .page(PeoplePages.issued(payload, title: .approvalMade, how: nil, call))
    },
    "/console/approvals/close": Route(permission: .approve) { call in
      try await ApprovalAdministration(call.administration).close(try call.number("number"), by: call.caller)
      return .redirect("/console/approvals")
    },
    UploadLimit.checkPath: Route(permission: .enrol) { call in .page(try await ListPages.check(call)) },
    UploadLimit.issuePath: Route(permission: .enrol) { call in try await ListPages.issue(call) },
    "/console/tokens/add": Route(permission: .manageAccess) { call in try await AccessForms.addToken(call) },
    "/console/tokens/revoke": Route(permission: .manageAccess) { call in
      try await AccessAdministration(call.administration).revokeToken(call.fields["name"], by: call.caller)
      return .redirect("/console/tokens")
    },
    "/console/administrators/set": Route(permission: .manageAccess) { call in try await AccessForms.setRole(call) },
    AccessForms.keysPath: Route(permission: .manageAccess) { call in .confirm(try AccessForms.setRoleWithKeys(call)) },
    "/console/administrators/remove": Route(permission: .manageAccess) { call in
      .confirm(.removeAdministrator(call.fields["name"]))
    },
  ]

  /// Revokes one key, immediately or with a signature.
  private static func revokeKey(_ call: PageCall) async throws -> Answer {
    let (name, reason) = (call.fields["name"], call.fields["reason"])
    let key = try KeyName(named: call.fields["key"], field: "key")
    if try await AccountAdministration(call.administration).needsSignature(toChange: name, by: call.caller) {
      return .confirm(.revokeKey(key, of: name, reason: reason))
    }
    try await KeyAdministration(call.administration).revoke(
      key.selection(of: name), reason: reason, by: call.caller)
    return person(call)
  }

  /// Issues a code, immediately or with a signature.
  private static func issueCode(_ call: PageCall) async throws -> Answer {
    let (name, lifetime) = (call.fields["name"], try call.length("lifetime"))
    if try await AccountAdministration(call.administration).needsSignature(toChange: name, by: call.caller) {
      return .confirm(.issueCode(for: name, lifetime: lifetime))
    }
    let code = try await EnrolmentAdministration(call.administration).issue(
      for: name, lifetime: lifetime, by: call.caller)
    return .page(AccessForms.made(.code(code), call))
  }
}
