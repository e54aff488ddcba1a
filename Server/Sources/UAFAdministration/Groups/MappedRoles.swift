import UAFMessages
import UAFService

/// Gives and takes the roles that people have by mappings of their groups, in the transaction that changes groups, mappings or
/// blocks.
///
/// A person has such a role only while they are in the group and their account is not disabled. A role that was given by hand
/// comes first. If the groups of a person are mapped to different roles, the person has the one that allows least, so that a
/// further group never allows more.
struct MappedRoles {
  /// The roles to which a group can be mapped, the one that allows least first.
  ///
  /// The role administrator is not among them: an identity provider would decide who decides about everything.
  static let roles = Role.ofPeople.filter { !$0.reachesPrivileged }
  /// The most people who have a role by mappings: each change of an account looks at all people with a role.
  static let mostPeople = 1_000

  private let environment: AdministrationEnvironment
  private let records: any StoreTransaction
  /// Who changes groups, mappings or blocks, for the audit.
  private let caller: Caller

  init(_ environment: AdministrationEnvironment, _ records: any StoreTransaction, _ caller: Caller) {
    self.environment = environment
    self.records = records
    self.caller = caller
  }

  /// Brings the roles of some people into line with their groups and blocks.
  ///
  /// A role that changes ends sessions, and what was issued with it. Each change has a row in the audit.
  ///
  /// - Throws: ``AdministrationRefusal`` if too many people would have a role.
  func settle(_ names: some Sequence<String>) throws {
    let names = names.sorted()
    guard !names.isEmpty else { return }
    let mapped = try records.groupMappings.roles(of: names)
    var isGiven = false
    for name in names {
      let present = try records.administrators.administrator(name)
      guard present == nil || present?.group != nil else { continue }
      let wanted = try isDisabled(name) ? nil : Self.least(mapped[name] ?? [])
      guard wanted?.role != present?.role || wanted?.group != present?.group else { continue }
      if let wanted {
        try give(wanted, to: name, insteadOf: present)
        isGiven = true
      } else if let present {
        try take(present)
      }
    }
    guard try !isGiven || records.administrators.all().count(where: { $0.group != nil }) <= Self.mostPeople else {
      throw AdministrationRefusal.conflict(.tooManyMappedRoles(Self.mostPeople))
    }
  }

  /// Takes the role that a person has by a mapping, because their account is deleted.
  func end(_ administrator: StoredAdministrator) throws { try take(administrator) }

  private func isDisabled(_ name: String) throws -> Bool {
    try records.accounts.block(of: name)?.refusal(at: environment.now()) == .accountDisabled
  }

  private static func least(_ mapped: [MappedRole]) -> MappedRole? {
    roles.lazy.compactMap { role in mapped.first { $0.role == role.rawValue } }.first
  }

  private func give(_ mapped: MappedRole, to name: String, insteadOf present: StoredAdministrator?) throws {
    if present?.role != mapped.role {
      let earlier = EarlierAuthority(environment: environment, records: records, caller: caller)
      let now = environment.now()
      // The open code may come from somebody who is not allowed to enrol people with a role.
      if try records.accounts.summary(of: name, now: now)?.hasOpenCode == true { try earlier.closeCode(of: name) }
      try earlier.endAuthority(of: name)
    }
    try records.administrators.set(
      StoredAdministrator(
        name: name, role: mapped.role, addedBy: caller.actor.text, addedAt: environment.now(), group: mapped.group))
    try note(.administratorChange, name, ["role": .string(mapped.role), "group": .integer(mapped.group)])
  }

  private func take(_ administrator: StoredAdministrator) throws {
    _ = try records.administrators.remove(administrator.name)
    try EarlierAuthority(environment: environment, records: records, caller: caller)
      .endAuthority(of: administrator.name)
    var detail: JSONObject = ["role": .string(administrator.role)]
    detail.set("group", administrator.group.map(JSONValue.integer))
    try note(.administratorRemoval, administrator.name, detail)
  }

  private func note(_ kind: AuditKind, _ name: String, _ detail: JSONObject) throws {
    let text = JSONValue.object(detail).text
    try records.audit.append([environment.event(kind, by: caller, account: name, detail: text)])
  }
}
