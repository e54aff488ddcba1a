/// What became of the accounts whose wrong values a chip has counted.
public struct RecoveredShares: Equatable, Sendable {
  /// Those that the chip goes on counting for.
  public let kept: [UInt32]
  /// Those that go on without the chip, until their value is changed.
  public let released: [UInt32]
  /// Those of whose shares neither the chip nor the recovery key has one.
  public let lost: [UInt32]

  /// Accounts by their numbers.
  public init(kept: [UInt32] = [], released: [UInt32] = [], lost: [UInt32] = []) {
    self.kept = kept
    self.released = released
    self.lost = lost
  }
}
