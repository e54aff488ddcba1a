/// A lock that an entry has just brought about.
public enum NewLock: Equatable, Sendable {
  /// For so long.
  case temporary(Duration)
  /// Until an administrator unlocks, or the person registers anew.
  case permanent
}
