import UAFMessages

/// The keys that a name is asked for in an authentication: those it has, and decoys in place of those it lacks.
///
/// The same inputs lead to the same keys, so they are found again when the answer comes, and not kept meanwhile.
struct AskedKeys {
  /// The alternatives of the policy.
  ///
  /// Revoked keys are listed too: only a client that can sign with one learns that it is revoked.
  let accepted: [[MatchCriteria]]

  /// Finds the keys.
  ///
  /// - Parameter stored: every key of the account, revoked ones included.
  init(environment: ServiceEnvironment, username: String, stored: [StoredKey]) throws {
    let sets = try environment.policies().accepted(for: username)
    // Made up for every name, so that real accounts take as long.
    let decoys = try Decoys(keys: environment.keys, models: environment.models)
      .keys(of: username, meeting: sets, shapes: environment.shapes.shapes)
    accepted = sets.authentication(with: stored, orElse: decoys)
  }
}
