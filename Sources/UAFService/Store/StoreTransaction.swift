/// One transaction of a ``ServerStore``: what it holds, by subject.
///
/// Good only inside the body it was given to.
package protocol StoreTransaction {
  var accounts: any Accounts { get }
  var approvals: any Approvals { get }
  var challenges: any Challenges { get }
  var confirmedTexts: any ConfirmedTexts { get }
  var credentials: any Credentials { get }
  var enrolments: any Enrolments { get }
  var settings: any Settings { get }
  var usedProofs: any UsedProofs { get }

  /// Makes some changes, and undoes them again if they lead nowhere; the transaction goes on either way.
  ///
  /// - Parameter changes: returns whether its changes are kept. If it throws, they are undone too.
  func keeping(if changes: () throws -> Bool) throws
}
