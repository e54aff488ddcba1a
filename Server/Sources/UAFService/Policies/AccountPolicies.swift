import UAFMessages

/// The policies of all accounts: each account has the one of its group, or else the one for everybody.
package struct AccountPolicies: Equatable, Sendable {
  let everybody: AcceptedSets
  /// The passkeys that everybody may use who is in no group; nil for none.
  package let passkeys: PasskeyPolicy?
  package let groups: [AccountGroup]
  /// The index in ``groups`` of an account's group.
  private let places: [String: Int]

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

  /// The name of the group that an account is in; nil for everybody else.
  package func group(of username: String) -> String? {
    places[username].map { groups[$0].name }
  }

  /// The accounts of a group; nil if there is no such group.
  package func members(of group: String) -> Set<String>? { groups.first { $0.name == group }?.accounts }

  /// The policy for a name, whether there is such an account or not.
  package func accepted(for username: String) -> AcceptedSets {
    // Names are plain ASCII here, which Swift compares by bytes.
    places[username].map { groups[$0].accepted } ?? everybody
  }

  /// The passkeys that a name may use, whether there is such an account or not; nil for none.
  package func passkeys(for username: String) -> PasskeyPolicy? {
    guard let place = places[username] else { return passkeys }
    return groups[place].passkeys
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
