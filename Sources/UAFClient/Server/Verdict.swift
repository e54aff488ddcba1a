/// The server's decision on an answer that it did not refuse.
public enum Verdict: Equatable, Sendable {
  /// It accepts the answer.
  case accepted(Acceptance)
  /// Not yet: a further authentication is demanded (step-up), and nothing was granted.
  case furtherRequest
}
