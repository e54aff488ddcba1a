import UAFMessages

extension StoreTransaction {
  /// Whether an administrator can sign in to the console: one that is not blocked, with a key that counts there.
  ///
  /// - Parameters:
  ///   - name: an administrator who is left out.
  ///   - policies: what keys have to meet; nil if they are not looked at.
  ///   - now: seconds since 1970.
  package func hasUsableAdministrator(
    besides name: String? = nil, meeting policies: AccountPolicies? = nil, now: Int64
  ) throws -> Bool {
    try administrators.all().contains { administrator in
      // As `Role` writes it.
      guard administrator.role == "administrator", administrator.name != name,
        try accounts.block(of: administrator.name)?.refusal(at: now) == nil
      else { return false }
      let keys = try credentials.records(of: administrator.name).filter(\.countsForSteps)
      guard let policies else { return !keys.isEmpty }
      let models = Dictionary(grouping: keys, by: \.deviceID).values.map { Set($0.map { $0.aaid.text.lowercased() }) }
      return policies.accepted(for: administrator.name)
        .areMet(by: AccountModels(username: administrator.name, machines: Array(models)))
    }
  }
}
