/// What a server says to an answer, if not no.
public enum Verdict: Equatable, Sendable {
  /// Yes.
  case accepted(Acceptance)
  /// Not yet: a further authentication is demanded (step-up), and nothing was granted.
  case furtherRequest
}
