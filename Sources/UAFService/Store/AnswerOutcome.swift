/// What became of a verified answer in the store.
package enum AnswerOutcome: Equatable, Sendable {
  /// Everything is stored, durably.
  case stored
  /// Nothing is stored: the challenge was answered before.
  case challengeUsed
  /// Nothing is stored: another signature with the same or a higher counter was faster, or the key was revoked or removed.
  case counterNotIncreased
  /// Nothing is stored: the text is no longer reserved by this challenge.
  case approvalUsed
}
