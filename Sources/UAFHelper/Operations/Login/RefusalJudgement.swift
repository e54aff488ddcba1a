/// Whether a refusal allows another attempt.
enum RefusalJudgement: Hashable, CaseIterable {
  /// The server no longer knows the challenge: it was used, or is too old.
  case expired
  /// Another login of the same person was faster.
  case overtaken
  /// The server has seen signatures that this machine's state does not know: an older copy of the state was restored.
  case stateIsOlder
  /// Another attempt would not help.
  case final
}
