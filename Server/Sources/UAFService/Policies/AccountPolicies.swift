import UAFMessages

/// The policies of all accounts: each account has the one of its group, or else the one for everybody.
///
/// A group of the policy names its accounts. It may also have members by a mapping (``GroupMapping``). The name comes first: an
/// account that a group names has the policy of that group alone. An account with several mapped groups must meet all of their
/// policies together, so that a further group never allows more.
package struct AccountPolicies: Equatable, Sendable {
  let everybody: AcceptedSets
  /// The passkeys that everybody may use who is in no group; nil for none.
  package let passkeys: PasskeyPolicy?
  package let groups: [AccountGroup]
  /// The index in ``groups`` of an account's group.
  private let places: [String: Int]
  /// The policies of the accounts that no group names, and that have groups by mappings.
  private var mapped = MappedPolicies()

  package init(everybody: AcceptedSets, passkeys: PasskeyPolicy? = nil, groups: [AccountGroup] = []) {
    self.everybody = everybody
    self.passkeys = passkeys
    self.groups = groups
    var places: [String: Int] = [:]
    for (place, group) in groups.enumerated() {
      for account in group.accounts where places[account] == nil { places[account] = place }
    }
    self.places = places
  }

  /// The same policies with these members by mappings, instead of any before.
  ///
  /// - Parameter members: the names of accounts, by the name of their group of the policy.
  /// - Throws: ``UnknownPolicyGroup`` if the policy has no group of such a name. Its members would otherwise get the policy for
  ///   everybody, which may allow more.
  package func mapping(_ members: [String: Set<String>]) throws(UnknownPolicyGroup) -> AccountPolicies {
    var indices: [String: [Int]] = [:]
    for (name, accounts) in members.sorted(by: { $0.key < $1.key }) {
      guard let index = groups.firstIndex(where: { $0.name == name }) else { throw UnknownPolicyGroup(name: name) }
      for account in accounts where places[account] == nil { indices[account, default: []].append(index) }
    }
    var policies = self
    policies.mapped = MappedPolicies(indices.mapValues { $0.sorted() }, of: groups)
    return policies
  }

  /// The name of the group that an account is in; nil for everybody else.
  ///
  /// With several groups by mappings, it is all their names, with plus signs between them.
  package func group(of username: String) -> String? {
    places[username].map { groups[$0].name } ?? mapped.policy(of: username)?.name
  }

  /// The accounts of a group, those by mappings included; nil if there is no such group.
  package func members(of group: String) -> Set<String>? {
    groups.firstIndex { $0.name == group }.map { groups[$0].accounts.union(mapped.members(of: $0)) }
  }

  /// The policy for a name, whether there is such an account or not.
  package func accepted(for username: String) -> AcceptedSets {
    // Names are plain ASCII here, which Swift compares by bytes.
    places[username].map { groups[$0].accepted } ?? mapped.policy(of: username)?.accepted ?? everybody
  }

  /// The passkeys that a name may use, whether there is such an account or not; nil for none.
  package func passkeys(for username: String) -> PasskeyPolicy? {
    if let place = places[username] { return groups[place].passkeys }
    if let policy = mapped.policy(of: username) { return policy.passkeys }
    return passkeys
  }

  /// Whether the passkeys of anybody are accepted.
  var acceptsPasskeysOfAnybody: Bool { passkeys != nil || groups.contains { $0.passkeys != nil } }
}

/// Accounts with a policy of their own.
package struct AccountGroup: Equatable, Sendable {
  /// The name of the group on whose accounts the helpdesk is not allowed to act.
  package static let privileged = "privileged"

  package let name: String
  /// At least one; an account is in one group at most.
  package let accounts: Set<String>
  package let accepted: AcceptedSets
  /// The passkeys that these accounts may use; nil for none.
  package let passkeys: PasskeyPolicy?

  package init(name: String, accounts: Set<String>, accepted: AcceptedSets, passkeys: PasskeyPolicy? = nil) {
    self.name = name
    self.accounts = accounts
    self.accepted = accepted
    self.passkeys = passkeys
  }
}

/// A mapping names a group that the policy does not have.
package struct UnknownPolicyGroup: Error, Equatable, Sendable {
  package let name: String
}

/// The policies of accounts that are in groups of the policy by mappings.
private struct MappedPolicies: Equatable, Sendable {
  struct Policy: Equatable, Sendable {
    let name: String
    let accepted: AcceptedSets
    let passkeys: PasskeyPolicy?
    /// The indices of the groups of the policy, in ascending order.
    let indices: [Int]
  }

  /// One for each combination of groups that some account has.
  private let policies: [Policy]
  /// The index in `policies` of an account's policy.
  private let places: [String: Int]

  init() { (policies, places) = ([], [:]) }

  /// - Parameter indices: the indices of each account's groups, at least one, in ascending order.
  init(_ indices: [String: [Int]], of groups: [AccountGroup]) {
    let combinations = Set(indices.values).sorted { $0.lexicographicallyPrecedes($1) }
    policies = combinations.compactMap { Self.policy(of: $0, groups) }
    let numbers = Dictionary(policies.enumerated().map { ($1.indices, $0) }) { first, _ in first }
    places = indices.compactMapValues { numbers[$0] }
  }

  private static func policy(of indices: [Int], _ groups: [AccountGroup]) -> Policy? {
    let parts = indices.map { groups[$0] }
    guard let first = parts.first else { return nil }
    var (accepted, passkeys) = (first.accepted, first.passkeys)
    for part in parts.dropFirst() {
      accepted = accepted.together(with: part.accepted)
      passkeys = passkeys.flatMap { own in part.passkeys.map(own.together) }
    }
    return Policy(
      name: parts.map(\.name).joined(separator: " + "), accepted: accepted, passkeys: passkeys, indices: indices)
  }

  func policy(of username: String) -> Policy? { places[username].map { policies[$0] } }

  func members(of index: Int) -> [String] {
    let having = Set(policies.indices.filter { policies[$0].indices.contains(index) })
    return places.filter { having.contains($0.value) }.map(\.key)
  }
}

/// Which authenticators are accepted: alternatives in order of preference.
///
/// A person must use all authenticator models of one alternative together.
package struct AcceptedSets: Equatable, Sendable {
  /// At least one alternative.
  ///
  /// No alternative is empty or names a model twice.
  let sets: [[AAID]]

  /// Accepts each model by itself, in the order of `models`.
  package init(each models: AuthenticatorModels) {
    sets = models.all.map { [$0.description.aaid] }
  }

  /// Takes checked alternatives; see ``sets`` for the rules.
  package init(checked sets: [[AAID]]) {
    self.sets = sets
  }

  /// The sets with which both this policy and a different one are met.
  ///
  /// Each is a set of the one with a set of the other. Of sets that contain each other, only the smaller one is kept.
  func together(with other: AcceptedSets) -> AcceptedSets {
    var found: [[AAID]] = []
    for own in sets {
      for theirs in other.sets { found.append(own + theirs.filter { !own.contains($0) }) }
    }
    let models = found.map(Set.init)
    let kept = found.indices.filter { index in
      !found.indices.contains { other in
        models[other].isStrictSubset(of: models[index]) || (other < index && models[other] == models[index])
      }
    }
    return AcceptedSets(checked: kept.map { found[$0] })
  }

  /// The policy of a registration: the models of each set that are still missing on this machine.
  ///
  /// If no model of a set is missing, the whole set stays in the list. The client then reports that everything is registered
  /// already, not that no authenticator is accepted.
  ///
  /// - Parameter keys: the person's usable keys on this machine.
  func registration(besides keys: [StoredKey]) -> [[MatchCriteria]] {
    var accepted: [[MatchCriteria]] = []
    for set in sets {
      let missing = set.filter { aaid in !keys.contains { $0.aaid == aaid } }
      let criteria = (missing.isEmpty ? set : missing).map { MatchCriteria(aaid: $0) }
      if !accepted.contains(criteria) { accepted.append(criteria) }
    }
    return accepted
  }

  /// The policy of an authentication: the sets for which the account has a key of every model.
  ///
  /// If there is no such set, decoys stand in for the missing keys. So the request for a name with no keys, or too few, looks
  /// like the request for a name with enough.
  ///
  /// - Parameter madeUp: decoys that meet at least one set by themselves.
  /// - Returns: the sets. An answer to a set with a decoy can never be accepted, since nobody can sign with the decoy.
  func authentication(with keys: [StoredKey], orElse madeUp: [StoredKey]) -> [[MatchCriteria]] {
    let covered = covered(by: keys)
    if !covered.isEmpty { return covered }
    // Real keys replace decoys of the same model and length. No further real keys are added: the request would show a
    // combination of keys that no account has.
    var rest = keys
    let filled = madeUp.map { key in
      let own = rest.firstIndex { $0.aaid == key.aaid && $0.keyID.bytes.count == key.keyID.bytes.count }
      return own.map { rest.remove(at: $0) } ?? key
    }
    return self.covered(by: filled)
  }

  private func covered(by keys: [StoredKey]) -> [[MatchCriteria]] {
    sets.compactMap { set in
      let criteria = set.compactMap { aaid -> MatchCriteria? in
        let keyIDs = keys.filter { $0.aaid == aaid }.map(\.keyID)
        return keyIDs.isEmpty ? nil : MatchCriteria(aaid: aaid, keyIDs: keyIDs)
      }
      return criteria.count == set.count ? criteria : nil
    }
  }

  /// Whether an account of this shape can authenticate.
  func areMet(by shape: KeyShape) -> Bool { areMet(by: Set(shape.models.map(\.aaid))) }

  /// Whether an account with keys of these models can authenticate.
  ///
  /// - Parameter aaids: in lower case.
  private func areMet(by aaids: Set<String>) -> Bool {
    sets.contains { $0.allSatisfy { aaids.contains($0.text.lowercased()) } }
  }

  /// Whether an account can authenticate with the keys of one machine.
  package func areMet(by account: AccountModels) -> Bool { account.machines.contains { areMet(by: $0) } }

  /// One key for each member of the first set.
  func plainShape(_ keyIDLength: Int) -> KeyShape {
    KeyShape((sets.first ?? []).map { ($0.text, keyIDLength) })
  }
}

/// A saved policy: it is in force, or was.
package struct PolicyVersion: Equatable, Sendable {
  /// From 1 on; the highest number is in force.
  package let number: Int64
  /// Seconds since 1970.
  package let savedAt: Int64
  /// As ``AuditActor/text`` writes it.
  package let actor: String
  /// The reason that the administrator gave when saving it.
  package let reason: String
  /// The policy in JSON, as it was given.
  package let text: String

  package init(number: Int64, savedAt: Int64, actor: String, reason: String, text: String) {
    self.number = number
    self.savedAt = savedAt
    self.actor = actor
    self.reason = reason
    self.text = text
  }
}

/// The saved policies: each is kept, none is changed.
package protocol PolicyVersions {
  /// The number of the policy in force; 0 if none was saved.
  func lastNumber() throws -> Int64

  /// A policy by its number; nil if there is none.
  func version(_ number: Int64) throws -> PolicyVersion?

  /// Policies with a lower number, the newest first.
  ///
  /// - Parameter limit: how many at most.
  func versions(before number: Int64, limit: Int) throws -> [PolicyVersion]

  /// Adds a policy, which is in force from then on.
  ///
  /// - Returns: false if its number is not the next one, because a different administrator was faster; nothing is stored then.
  func add(_ version: PolicyVersion) throws -> Bool
}
