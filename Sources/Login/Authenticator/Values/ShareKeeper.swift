import SecretMemory
import UAFCrypto

/// Keeps shares of authenticators' keys where values are counted: in a chip.
///
/// A share is random bytes without which a value opens nothing. It is given out for the two values that are derived of
/// what a person enters, and a wrong one is counted. What is kept of a share is the business of the keeper alone.
public protocol ShareKeeper: AnyObject {
  /// The cost of a derivation whose values are counted; nil where no new share is made.
  var cost: Scrypt.Parameters? { get }

  /// Lets an authenticator be made without a share, where ``cost`` says that no new one is made.
  ///
  /// - Throws: ``StateError/share`` where root demands one.
  func allowNone() throws(StateError)

  /// Makes a share.
  ///
  /// - Parameters:
  ///   - type: the name of the authenticator's type.
  ///   - uid: its account.
  ///   - mark: what its shares are known by.
  /// - Returns: nil where there is no room, and root allows authenticators without a share.
  /// - Throws: ``StateError/share``.
  func make(
    _ values: borrowing Secret, for type: String, of uid: UInt32, mark: [UInt8]
  ) throws(StateError) -> NewShare?

  /// Opens a share; wrong values are counted.
  ///
  /// - Throws: ``StateError/share`` where it cannot be opened with any value.
  func open(_ kept: [UInt8], with values: borrowing Secret) throws(StateError) -> OpenedShare

  /// Says that a share was made of which the recovery key has no copy, although there is a recovery key.
  func tellNoCopy(for type: String)

  /// Whether a share can still be opened here: the chip has its index, and the key that it was sealed under.
  ///
  /// - Throws: ``StateError/share`` where that cannot be told now.
  func holds(_ kept: [UInt8]) throws(StateError) -> Bool

  /// Takes the time of wrong values, where that has to be hidden.
  func openInVain(_ values: borrowing Secret)

  /// Begins to count anew.
  ///
  /// - Throws: ``StateError/share``.
  func clear(_ kept: [UInt8], for type: String, of uid: UInt32) throws(StateError)

  /// Removes a share that no record has any more; one that cannot be removed is told to the log alone.
  func remove(_ kept: [UInt8])

  /// Removes all shares with a mark but one: also those that killed calls have left.
  func remove(marked mark: [UInt8], but kept: [UInt8]?)
}

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

/// What came of opening a share.
public enum OpenedShare: ~Copyable {
  /// The values are right.
  case opened(Secret)
  /// They are wrong, and were counted.
  case wrong
  /// They were not looked at: too many wrong ones were counted.
  case exhausted
}

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
