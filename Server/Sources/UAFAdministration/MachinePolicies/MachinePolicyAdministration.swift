import FidoResults
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFService

/// Shows, previews and saves the policies for workstations that have joined.
package struct MachinePolicyAdministration: Sendable {
  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  // MARK: Reading

  /// A saved policy by its number.
  ///
  /// - Throws: ``AdministrationRefusal``, `StoreFailure`.
  package func policy(_ number: Int64, by caller: Caller) async throws -> SavedMachinePolicy {
    try caller.require(.read)
    guard let policy = try await environment.read({ try $0.machinePolicies.policy(number) }) else {
      throw AdministrationRefusal.unknown("machine policy", name: String(number))
    }
    return policy
  }

  /// A saved policy by its number, and whether it is in force.
  ///
  /// - Throws: ``AdministrationRefusal``, `StoreFailure`.
  package func standing(_ number: Int64, by caller: Caller) async throws -> MachinePolicyStanding {
    let policy = try await policy(number, by: caller)
    return try await environment.read { records in
      MachinePolicyStanding(
        policy: policy, isInForce: try records.machinePolicies.current(of: policy.group)?.number == number,
        machines: try records.joinedMachines.count(in: policy.group))
    }
  }

  /// The policy that is in force for a group; nil if none was saved.
  ///
  /// - Throws: ``AdministrationRefusal``, `StoreFailure`.
  package func current(of group: String, by caller: Caller) async throws -> MachinePolicyStanding? {
    try caller.require(.read)
    let name = try Self.group(group).name
    return try await environment.read { records in
      guard let policy = try records.machinePolicies.current(of: name) else { return nil }
      return MachinePolicyStanding(
        policy: policy, isInForce: true, machines: try records.joinedMachines.count(in: name))
    }
  }

  /// The policies in force, one for each group that has one, in the order of the groups' names.
  ///
  /// - Parameter group: the group after which the page begins; empty for the first page.
  /// - Throws: ``AdministrationRefusal``, `StoreFailure`.
  package func inForce(
    after group: String = "", limit: Int = PageLimit.standard, by caller: Caller
  ) async throws -> Page<MachinePolicyStanding> {
    try caller.require(.read)
    try PageLimit.check(limit)
    let (policies, machines) = try await environment.read { records in
      let policies = try records.machinePolicies.inForce(after: group, limit: limit + 1)
      return (policies, try records.joinedMachines.counts(in: policies.map(\.group)))
    }
    let rows = policies.map {
      MachinePolicyStanding(policy: $0, isInForce: true, machines: machines[$0.group] ?? 0)
    }
    return Page(rows, limit: limit) { $0.policy.group }
  }

  /// The saved policies, the newest first; the first policy of each group is in force.
  ///
  /// - Parameters:
  ///   - group: only the policies of one group; nil for all.
  ///   - cursor: the position after which the page begins; nil for the first page.
  ///   - limit: at most 200.
  /// - Throws: ``AdministrationRefusal``, `StoreFailure`.
  package func policies(
    of group: String? = nil, after cursor: String? = nil, limit: Int = PageLimit.standard, by caller: Caller
  ) async throws -> Page<SavedMachinePolicy> {
    try caller.require(.read)
    try PageLimit.check(limit)
    let name = try group.map { (name) throws(AdministrationRefusal) in try Self.group(name).name }
    guard let before = cursor.map({ Int64($0) }) ?? .max else {
      throw AdministrationRefusal.invalid(field: "after", .notAPolicyNumber)
    }
    let rows = try await environment.read {
      try $0.machinePolicies.policies(before: before, of: name, limit: limit + 1)
    }
    return Page(rows, limit: limit) { String($0.number) }
  }

  /// Finds out what a policy would change, and for how many machines, without changing anything.
  ///
  /// - Throws: ``AdministrationRefusal``, also for a text that workstations would refuse; `StoreFailure`.
  package func preview(_ draft: MachinePolicyDraft, by caller: Caller) async throws -> MachinePolicyPreview {
    try caller.require(.read)
    let settings = try Self.check(draft)
    let (present, machines) = try await environment.read { records in
      (
        try records.machinePolicies.current(of: draft.group), try records.joinedMachines.count(in: draft.group)
      )
    }
    // A policy of an earlier version that can no longer be parsed is ignored: it must be possible to save the next one.
    let before = present.flatMap { try? LentSettingsReader.settings(Array($0.text.utf8), version: $0.number) }
    return MachinePolicyPreview(
      machines: machines, present: present?.number, changes: Self.changes(before?.entries ?? [], settings.entries))
  }

  private static func changes(
    _ before: [(key: String, value: String)], _ after: [(key: String, value: String)]
  ) -> [MachinePolicyPreview.Change] {
    let (old, new) = (Dictionary(before) { first, _ in first }, Dictionary(after) { first, _ in first })
    let changed = after.filter { old[$0.key] != $0.value }.map {
      MachinePolicyPreview.Change(key: $0.key, before: old[$0.key], after: $0.value)
    }
    return changed
      + before.filter { new[$0.key] == nil }.map { .init(key: $0.key, before: $0.value, after: nil) }
  }

  // MARK: Saving

  /// Saves a policy; the machines of the group get it the next time they contact the server.
  ///
  /// - Parameters:
  ///   - reason: why the policy is saved, for people who read the history; 1 to 500 bytes.
  ///   - last: the number of the group's policy on which the draft is based; 0 if there was none.
  /// - Returns: the saved policy.
  /// - Throws: ``AdministrationRefusal``, also if workstations would refuse the text, or if a different policy has been saved
  ///   for the group since; `StoreFailure`.
  package func save(
    _ draft: MachinePolicyDraft, reason: String, after last: Int64, by caller: Caller
  ) async throws -> SavedMachinePolicy {
    let permitted = try caller.require(.managePolicies)
    try Self.check(draft, reason: reason)
    let saved = try await environment.change(.nobodys, by: permitted) {
      [environment] records -> SavedMachinePolicy? in
      guard try (records.machinePolicies.current(of: draft.group)?.number ?? 0) == last else { return nil }
      let policy = SavedMachinePolicy(
        number: try Self.nextNumber(records), group: draft.group,
        lifetime: draft.seconds, savedAt: environment.now(),
        actor: caller.actor.text, reason: reason, text: draft.text)
      guard try records.machinePolicies.add(policy) else { return nil }
      let machines = try records.joinedMachines.count(in: draft.group)
      try records.audit.append([try event(policy, machines: machines, caller)])
      return policy
    }
    guard let saved else { throw Self.isReplaced(last, draft.group) }
    return saved
  }

  /// Throws if ``save(_:reason:after:by:)`` would refuse the policy now; changes nothing.
  ///
  /// - Throws: the errors of that method.
  package func check(
    _ draft: MachinePolicyDraft, reason: String, after last: Int64, by caller: Caller
  ) async throws {
    try caller.require(.managePolicies)
    try Self.check(draft, reason: reason)
    let present = try await environment.read { try $0.machinePolicies.current(of: draft.group) }
    guard (present?.number ?? 0) == last else { throw Self.isReplaced(last, draft.group) }
  }

  private static func isReplaced(_ number: Int64, _ group: String) -> AdministrationRefusal {
    .conflict(.machinePolicyReplaced(number, group: group))
  }

  /// The number of the next policy.
  ///
  /// It is higher than all earlier numbers, even those that were given after a backup that was later restored: machines refuse
  /// a lower number.
  private static func nextNumber(_ records: any StoreTransaction) throws -> Int64 {
    let restored = try records.settings.value(of: .restoredAt).flatMap { Int64($0) } ?? 0
    return max(try records.machinePolicies.lastNumber(), restored) + 1
  }

  private func event(_ policy: SavedMachinePolicy, machines: Int, _ caller: Caller) throws -> AuditEntry {
    let hash = Base64URL.encode(try SHA256.hash(Array(policy.text.utf8)))
    let detail: JSONObject = [
      "number": .integer(policy.number), "group": .string(policy.group), "machines": .integer(Int64(machines)),
      "sha256": .string(hash), "reason": .string(policy.reason),
    ]
    return environment.event(.machinePolicy, by: caller, detail: JSONValue.object(detail).text)
  }

  // MARK: What may be saved

  private static func group(_ name: String) throws(AdministrationRefusal) -> MachineGroup {
    guard let group = MachineGroup(name) else {
      throw .invalid(
        field: "group", .badGroup)
    }
    return group
  }

  private static func check(_ draft: MachinePolicyDraft, reason: String) throws(AdministrationRefusal) {
    try ReasonText.check(reason)
    guard !reason.isEmpty else { throw .invalid(field: "reason", .noReason) }
    try check(draft)
  }

  /// Parses a policy as a workstation would.
  @discardableResult
  private static func check(_ draft: MachinePolicyDraft) throws(AdministrationRefusal) -> LentSettings {
    let group = try group(draft.group)
    guard WorkstationPolicy.lifetimes.contains(draft.seconds) else {
      throw .invalid(field: "lifetime", .outOfRange(WorkstationPolicy.lifetimes, .seconds))
    }
    guard draft.text.utf8.count <= WorkstationPolicy.maximumTextBytes else {
      throw .invalid(field: "policy", .tooLong(bytes: WorkstationPolicy.maximumTextBytes))
    }
    if let hidden = Text.firstHidden(in: draft.text, keepsLines: true) {
      throw .invalid(field: "policy", .hidden(character: hidden))
    }
    let settings: LentSettings
    do throws(ConfigurationError) {
      settings = try LentSettingsReader.settings(Array(draft.text.utf8), version: 0)
    } catch {
      throw .invalid(field: "policy", .refusedByWorkstations(PolicyProblem(error)))
    }
    guard longestToken(draft.text, group) <= WorkstationPolicy.maximumTokenBytes else {
      throw .invalid(
        field: "policy", .tooLongToSign)
    }
    return settings
  }

  /// The most bytes that a policy can have after it was signed for a machine.
  private static func longestToken(_ text: String, _ group: MachineGroup) -> Int {
    let policy = WorkstationPolicy(
      deviceID: String(repeating: "0", count: 128), group: group, version: WorkstationPolicy.versions.upperBound,
      text: text, issuedAt: .max, notBefore: .max, expiresAt: .max)
    // Header and signature have fewer than 256 bytes.
    return Base64URL.encode(policy.json.bytes).utf8.count + 256
  }
}

extension PolicyProblem {
  /// The reason why workstations refuse a policy.
  fileprivate init(_ error: ConfigurationError) {
    let korean =
      switch error {
      case .syntax(_, let line, let problem): "\(line)번째 줄: \(problem.korean)"
      case .key(_, let line, let key, let problem): "\(line)번째 줄, \(key): \(problem.korean)"
      // These cases cannot occur: the policy comes neither from a file nor from an argument.
      case .file, .argument: "'\(error)'"
      }
    self.init(reason: "\(error)", korean: Text.cleaned(korean, limit: 512))
  }
}

/// A policy for the machines of a group, before it is saved.
package struct MachinePolicyDraft: Equatable, Sendable {
  /// The name of the group.
  package let group: String
  /// The policy in TOML; empty for one that sets nothing.
  package let text: String
  /// For how many seconds after signing a machine may rely on the policy; nil for 90 days.
  package let lifetime: Int64?

  /// The lifetime in seconds; the default if none was given.
  package var seconds: Int64 { lifetime ?? WorkstationPolicy.standardLifetime }

  /// A lifetime in days; nil if it is not a whole number of days.
  package static func days(of seconds: Int64) -> Int64? { seconds.isMultiple(of: 86_400) ? seconds / 86_400 : nil }

  package init(group: String, text: String, lifetime: Int64? = nil) {
    self.group = group
    self.text = text
    self.lifetime = lifetime
  }
}

/// What a new policy for the machines of a group would change.
package struct MachinePolicyPreview: Equatable, Sendable {
  /// A key whose value would change.
  package struct Change: Equatable, Sendable {
    package let key: String
    /// The value in the policy in force, as one line; nil if that policy does not have the key.
    package let before: String?
    /// The value in the draft, as one line; nil if the draft does not have the key.
    package let after: String?

    package init(key: String, before: String?, after: String?) {
      self.key = key
      self.before = before
      self.after = after
    }
  }

  /// How many machines are in the group now.
  package let machines: Int
  /// The number of the policy in force; nil if none was saved for the group.
  package let present: Int64?
  /// The keys that would change, in the order of the draft, then the keys that would be removed.
  package let changes: [Change]

  package init(machines: Int, present: Int64?, changes: [Change]) {
    self.machines = machines
    self.present = present
    self.changes = changes
  }
}

/// A saved policy for the machines of a group, and its state.
package struct MachinePolicyStanding: Equatable, Sendable {
  package let policy: SavedMachinePolicy
  /// Whether the policy is in force: no later one was saved for the group.
  package let isInForce: Bool
  /// How many machines are in the group now.
  package let machines: Int
}
