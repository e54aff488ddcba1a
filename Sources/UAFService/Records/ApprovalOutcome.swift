/// What became of a text that waited to be confirmed.
package enum ApprovalOutcome: Equatable, Sendable {
  case open
  case confirmed
  /// The person said no, for good.
  case denied
  /// It expired, a newer text closed it, or the account's keys were revoked.
  case closed
}
