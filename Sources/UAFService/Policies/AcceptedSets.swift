import UAFMessages

/// Which authenticators will do: alternatives in order of preference, each of models that have to be used together.
package struct AcceptedSets: Equatable, Sendable {
  /// At least one alternative, none empty, none with a model twice.
  let sets: [[AAID]]

  /// Each model by itself, in their order.
  package init(each models: AuthenticatorModels) {
    sets = models.all.map { [$0.description.aaid] }
  }

  /// Takes alternatives that were checked to be as ``sets`` has to be.
  package init(checked sets: [[AAID]]) {
    self.sets = sets
  }

  /// What a person is asked to register: of each set, what is still missing on this machine.
  ///
  /// A set that is complete stays in the list whole, so that the client finds everything registered, not everything refused.
  ///
  /// - Parameter keys: those of the person on this machine that can be used.
  func registration(besides keys: [StoredKey]) -> [[MatchCriteria]] {
    var accepted: [[MatchCriteria]] = []
    for set in sets {
      let missing = set.filter { aaid in !keys.contains { $0.aaid == aaid } }
      let criteria = (missing.isEmpty ? set : missing).map { MatchCriteria(aaid: $0) }
      if !accepted.contains(criteria) { accepted.append(criteria) }
    }
    return accepted
  }

  /// What a person is asked to authenticate with: the sets of which there is a key for each model.
  ///
  /// Where there is none, made-up keys fill the gaps: who has no keys, or not enough, is asked the same as who has.
  ///
  /// - Parameter madeUp: keys that meet at least one set.
  /// - Returns: the sets, and whether they are good for nothing but hiding that.
  func authentication(
    with keys: [StoredKey], orElse madeUp: [StoredKey]
  ) -> (accepted: [[MatchCriteria]], isDecoy: Bool) {
    let covered = covered(by: keys)
    if !covered.isEmpty { return (covered, false) }
    // Of each model at most as many as were made up, real ones first: with more, the whole would have a shape that no account
    // has.
    var rest = keys
    let filled = madeUp.map { key in
      let own = rest.firstIndex { $0.aaid == key.aaid && $0.keyID.bytes.count == key.keyID.bytes.count }
      return own.map { rest.remove(at: $0) } ?? key
    }
    return (self.covered(by: filled), true)
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
  func areMet(by shape: KeyShape) -> Bool {
    sets.contains { set in
      set.allSatisfy { aaid in shape.models.contains { $0.aaid == aaid.text.lowercased() } }
    }
  }

  /// One key for each member of the first set.
  func plainShape(_ keyIDLength: Int) -> KeyShape {
    KeyShape((sets.first ?? []).map { ($0.text, keyIDLength) })
  }
}
