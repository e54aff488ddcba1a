import UAFMessages

/// Which authenticators are accepted: alternatives in order of preference.
///
/// The models of one alternative have to be used together.
package struct AcceptedSets: Equatable, Sendable {
  /// At least one alternative.
  ///
  /// No alternative is empty, and none names a model twice.
  let sets: [[AAID]]

  /// Accepts each model by itself, in the order of `models`.
  package init(each models: AuthenticatorModels) {
    sets = models.all.map { [$0.description.aaid] }
  }

  /// Takes alternatives that were checked; see ``sets`` for the rules.
  package init(checked sets: [[AAID]]) {
    self.sets = sets
  }

  /// What a person is asked to register: of each set, the models that are still missing on this machine.
  ///
  /// A complete set stays in the list whole. So the client finds that everything is registered, not that everything is refused.
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

  /// What a person is asked to authenticate with: the sets for each of whose models there is a key.
  ///
  /// If there is no such set, decoys fill the gaps. So a name with no keys, or too few, is asked the same as one with
  /// enough.
  ///
  /// - Parameter madeUp: keys that meet at least one set.
  /// - Returns: the sets. With a decoy among them no answer can be accepted, since nobody can sign with it.
  func authentication(with keys: [StoredKey], orElse madeUp: [StoredKey]) -> [[MatchCriteria]] {
    let covered = covered(by: keys)
    if !covered.isEmpty { return covered }
    // Of each model at most as many keys as there are decoys, real ones first. With more of them the request would show
    // a shape that no account has.
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
  /// - Parameter aaids: in small letters.
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
