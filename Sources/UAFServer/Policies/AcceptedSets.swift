import UAFMessages

/// Which authenticators will do: alternatives in order of preference, each of models that have to be used together.
struct AcceptedSets: Equatable, Sendable {
  /// At least one alternative, none empty, none with a model twice.
  let sets: [[AAID]]

  /// Each model by itself, in their order.
  init(each models: AuthenticatorModels) {
    sets = models.all.map { [$0.description.aaid] }
  }

  /// Takes alternatives that were checked to be as ``sets`` has to be.
  init(checked sets: [[AAID]]) {
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
  /// Where there is none, the first set stands for all of them, and made-up keys for those that are missing: who has no
  /// keys, or not enough, is asked the same as who has.
  ///
  /// - Returns: the sets, and whether they are good for nothing but hiding that.
  func authentication(
    with keys: [StoredKey], decoy: (AAID) throws -> StoredKey
  ) rethrows -> (accepted: [[MatchCriteria]], isDecoy: Bool) {
    func criteria(_ aaid: AAID) -> MatchCriteria? {
      let keyIDs = keys.filter { $0.aaid == aaid }.map(\.keyID)
      return keyIDs.isEmpty ? nil : MatchCriteria(aaid: aaid, keyIDs: keyIDs)
    }
    let covered = sets.map { $0.compactMap(criteria) }.enumerated()
      .filter { $0.element.count == sets[$0.offset].count }.map(\.element)
    guard covered.isEmpty, let first = sets.first else { return (covered, false) }
    let hiding = try first.map { try criteria($0) ?? MatchCriteria(aaid: $0, keyIDs: [decoy($0).keyID]) }
    return ([hiding], true)
  }
}
