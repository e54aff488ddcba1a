/// What became of a text that waited to be confirmed.
package enum ApprovalOutcome: Equatable, Sendable {
  case open
  case confirmed
  /// The person denied it, which is final.
  case denied
  /// It expired, a newer text closed it, or the account's keys were revoked.
  case closed
}
