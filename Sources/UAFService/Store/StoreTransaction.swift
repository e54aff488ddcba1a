/// One transaction of a ``ServerStore``: what it holds, by subject.
///
/// Good only inside the body it was given to.
package protocol StoreTransaction {
  var accounts: any Accounts { get }
  var approvals: any Approvals { get }
  var audit: any AuditTrail { get }
  var confirmedTexts: any ConfirmedTexts { get }
  var credentials: any Credentials { get }
  var enrolments: any Enrolments { get }
  var openRegistrations: any OpenRegistrations { get }
  var settings: any Settings { get }
  var usedChallenges: any UsedChallenges { get }
  var usedProofs: any UsedProofs { get }
  var wrongAnswers: any WrongAnswers { get }

  /// Makes changes that can be undone alone, while the transaction goes on.
  ///
  /// - Parameter changes: returns whether its changes are kept. If it returns false or throws, they are undone.
  func keeping(if changes: () throws -> Bool) throws
}
