import SecretMemory

/// What came of opening a share.
public enum OpenedShare: ~Copyable {
  /// The values are right.
  case opened(Secret)
  /// They are wrong, and were counted.
  case wrong
  /// They were not looked at: too many wrong ones were counted.
  case exhausted
}
