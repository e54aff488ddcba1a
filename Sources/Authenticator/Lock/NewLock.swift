/// A lock that an entry has just caused.
public enum NewLock: Equatable, Sendable {
  /// A temporary lock of this length.
  case temporary(Duration)
  /// Until an administrator unlocks, or the person registers anew.
  case permanent
}
