/// What a refusal says about another attempt.
enum RefusalJudgement: Hashable, CaseIterable {
  /// The server knows the challenge no more: it was used, or is too old.
  case expired
  /// Another login of the same person was faster.
  case overtaken
  /// The server has seen signatures that this machine's state does not know: an older copy of the state was put back.
  case stateIsOlder
  /// Another attempt would not help.
  case final
}
