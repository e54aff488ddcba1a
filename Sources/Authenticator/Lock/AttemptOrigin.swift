/// Where an attempt comes from: the one split of the counters, made by a root host and by nobody else.
public enum AttemptOrigin: UInt8, CaseIterable, Sendable {
  case local = 1
  case remote = 2
  /// Another local account: somebody at su, or at sudo where it asks for the password of whom it becomes.
  case otherUser = 3
}
