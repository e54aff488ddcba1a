import UAFMessages

/// One transaction of a ``ServerStore``: what it holds, by subject.
///
/// Good only inside the body it was given to.
package protocol StoreTransaction {
  var accessTokens: any AccessTokens { get }
  var accounts: any Accounts { get }
  var administrators: any Administrators { get }
  var approvals: any Approvals { get }
  var audit: any AuditTrail { get }
  var auditDeliveries: any AuditDeliveries { get }
  var confirmedTexts: any ConfirmedTexts { get }
  var consoleSessions: any ConsoleSessions { get }
  var contents: any StoreContents { get }
  var credentials: any Credentials { get }
  var enrolments: any Enrolments { get }
  var issuedCodes: any IssuedCodes { get }
  var joinCodes: any JoinCodes { get }
  var joinedMachines: any JoinedMachines { get }
  var machinePolicies: any SavedMachinePolicies { get }
  var machines: any Machines { get }
  var openRegistrations: any OpenRegistrations { get }
  var policyVersions: any PolicyVersions { get }
  var repeatableRequests: any RepeatableRequests { get }
  var settings: any Settings { get }
  var usedChallenges: any UsedChallenges { get }
  var usedProofs: any UsedProofs { get }
  var wrongAnswers: any WrongAnswers { get }

  /// Makes changes that can be undone alone, while the transaction goes on.
  ///
  /// - Parameter changes: returns whether its changes are kept. If it returns false or throws, they are undone.
  func keeping(if changes: () throws -> Bool) throws
}

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
