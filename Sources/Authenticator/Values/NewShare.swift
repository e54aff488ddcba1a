import SecretMemory

/// A share that was just made.
public struct NewShare: ~Copyable {
  /// What is kept of it.
  let kept: [UInt8]
  let share: Secret

  /// A share, and what is kept of it.
  public init(_ share: consuming Secret, kept: [UInt8]) {
    self.share = share
    self.kept = kept
  }
}
