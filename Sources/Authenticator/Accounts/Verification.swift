/// The outcome of an entry.
public enum Verification: ~Copyable {
  /// The seal opened, and the count was cleared on disk.
  case verified(UnlockedAuthenticator)
  /// Counted, checked, wrong; with the lock that it caused.
  case wrong(NewLock?)
  /// Not checked: locked for so long.
  case locked(Duration)
  /// Not checked: locked until an administrator unlocks.
  case permanentlyLocked
  /// Counted, and not looked at by the chip, which has counted too many wrong values: until an administrator unlocks.
  case exhausted
}
