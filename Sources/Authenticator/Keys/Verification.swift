/// What became of an entry.
public enum Verification: ~Copyable {
  /// The seal opened, and the count was taken back on disk.
  case verified(UnlockedAuthenticator)
  /// Counted, checked, wrong.
  case wrong
  /// Not checked: locked for so long.
  case locked(Duration)
  /// Not checked: locked until an administrator unlocks.
  case permanentlyLocked
}
