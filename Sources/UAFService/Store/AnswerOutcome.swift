/// What became of a verified answer in the store.
package enum AnswerOutcome: Hashable, Sendable {
  /// Everything is stored, durably.
  case stored
  /// Nothing is stored: the challenge was answered before.
  case challengeUsed
  /// Nothing is stored: another signature with the same or a higher counter was faster, or the key was revoked or removed.
  case counterNotIncreased
  /// Nothing is stored: the account is disabled or locked.
  case blocked(ServiceRefusal)
  /// Nothing is stored: the text is no longer reserved by this challenge.
  case approvalUsed

  /// Why an answer was not stored whose challenge was not used before.
  ///
  /// - Parameters:
  ///   - block: how its account is blocked.
  ///   - now: the answer's time, in seconds since 1970.
  package init(refusedBy block: AccountBlock?, at now: Int64) {
    self = block?.refusal(at: now).map(AnswerOutcome.blocked) ?? .counterNotIncreased
  }
}
