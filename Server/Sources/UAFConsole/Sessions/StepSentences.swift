import UAFAdministration

/// What a dangerous step will do, and to whom, in one sentence of the reader's language.
///
/// The text that is signed is in English, whatever the page's language is.
extension DangerousStep {
  func sentence(_ language: PageLanguage) -> String {
    switch self {
    case .revokeKey(let key, let name, _): language.text(.willRevokeKey, name, PageCell.shortened(key.idText))
    case .revokeAll(let name, _): language.text(.willRevokeAll, name)
    case .revokeMachine(let id, _): language.text(.willRevokeMachine, id)
    case .deleteAccount(let name, _): language.text(.willDelete, name)
    case .setRole(let role, let name, _): language.text(.willSetRole, name, language.text(role.title))
    case .removeAdministrator(let name): language.text(.willRemoveRole, name)
    case .createToken(let name, let role, let lifetime):
      language.text(.willMakeToken, name, language.text(role.title), language.exactLength(lifetime))
    case .issueCode(let name, let lifetime): language.text(.willIssueCode, name, language.exactLength(lifetime))
    case .disableAccount(let name, _): language.text(.willDisable, name)
    case .lockAccount(let name, let seconds, _): language.text(.willLock, name, language.exactLength(seconds))
    case .enableAccount(let name): language.text(.willEnable, name)
    case .savePolicy: language.text(.willSavePolicy)
    case .saveMachinePolicy(let draft, _, _): language.text(.willSaveMachinePolicy, draft.group)
    case .mapGroup(_, let name, let target, _): target.sentence(for: name, language)
    case .unmapGroup(_, let name, _): language.text(.willUnmapGroup, name)
    case .several(let bulk): bulk.sentence(language)
    }
  }
}

extension MappingTarget {
  /// What the members of a group get.
  func sentence(for group: String, _ language: PageLanguage) -> String {
    let role = role.map { language.text($0.title) }
    return switch (policyGroup, role) {
    case (let policy?, let role?): language.text(.willMapGroupToBoth, group, policy, role)
    case (let policy?, nil): language.text(.willMapGroup, group, policy)
    case (nil, let role): language.text(.willMapGroupToRole, group, role ?? "")
    }
  }
}

extension BulkStep {
  func sentence(_ language: PageLanguage) -> String {
    let count = String(names.count)
    return switch kind {
    case .disable: language.text(.willDisableMany, count)
    case .enable: language.text(.willEnableMany, count)
    case .revokeKeys: language.text(.willRevokeMany, count)
    case .revokeMachines: language.text(.willRevokeMachines, count)
    }
  }
}

extension Role {
  /// The role's name on pages, with what it may do.
  var title: PageText {
    switch self {
    case .auditor: .auditor
    case .helpdesk: .helpdesk
    case .operator: .operator
    case .administrator: .administrator
    case .provisioning: .provisioning
    }
  }
}
