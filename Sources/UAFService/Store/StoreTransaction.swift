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
