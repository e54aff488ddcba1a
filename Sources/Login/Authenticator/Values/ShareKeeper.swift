import SecretMemory
import UAFCrypto

/// Keeps shares of authenticators' keys in a chip, which counts wrong values.
///
/// A share is random bytes that are needed, together with the right value, to open a key. The chip gives it out for the two
/// values that are derived from what a person enters; it counts a wrong value. Only the keeper understands its own record of a
/// share.
public protocol ShareKeeper: AnyObject {
  /// The cost of a derivation if the chip counts the values; nil if no new share is made.
  var cost: Scrypt.Parameters? { get }

  /// Lets an authenticator be made without a share, when ``cost`` says that no new one is made.
  ///
  /// - Throws: ``StateError/share`` if root demands a share.
  func allowNone() throws(StateError)

  /// Makes a share.
  ///
  /// - Parameters:
  ///   - type: the name of the authenticator's type.
  ///   - uid: its account.
  ///   - mark: the identifier by which the chip finds the account's shares of this type.
  /// - Returns: nil if there is no room and root allows authenticators without a share.
  /// - Throws: ``StateError/share``.
  func make(
    _ values: borrowing Secret, for type: String, of uid: UInt32, mark: [UInt8]
  ) throws(StateError) -> NewShare?

  /// Opens a share; wrong values are counted.
  ///
  /// - Throws: ``StateError/share`` if no value can open it.
  func open(_ kept: [UInt8], with values: borrowing Secret) throws(StateError) -> OpenedShare

  /// Reports that a share was made without a copy for the recovery key, although there is a recovery key.
  func tellNoCopy(for type: String)

  /// Whether a share can still be opened here: the chip has its index, and the key that it was sealed under.
  ///
  /// - Throws: ``StateError/share`` if that cannot be determined now.
  func holds(_ kept: [UInt8]) throws(StateError) -> Bool

  /// Takes as long as checking wrong values, if the time must show nothing.
  func openInVain(_ values: borrowing Secret)

  /// Sets the count of wrong values to 0.
  ///
  /// - Throws: ``StateError/share``.
  func clear(_ kept: [UInt8], for type: String, of uid: UInt32) throws(StateError)

  /// Removes a share that no record names any longer; if that fails, only the log says so.
  func remove(_ kept: [UInt8])

  /// Removes all shares with this identifier except one, including those that killed calls left behind.
  func remove(marked mark: [UInt8], but kept: [UInt8]?)
}

/// A share that was just made.
public struct NewShare: ~Copyable {
  /// The keeper's record of it.
  let kept: [UInt8]
  let share: Secret

  /// A share, and the keeper's record of it.
  public init(_ share: consuming Secret, kept: [UInt8]) {
    self.share = share
    self.kept = kept
  }
}

/// The result of opening a share.
public enum OpenedShare: ~Copyable {
  /// The values are right.
  case opened(Secret)
  /// They are wrong, and were counted.
  case wrong
  /// They were not checked: too many wrong values were counted before.
  case exhausted
}

/// What happened to the accounts whose wrong values a chip counted.
public struct RecoveredShares: Equatable, Sendable {
  /// The accounts for which the chip still counts.
  public let kept: [UInt32]
  /// The accounts that work without the chip, until their value is changed.
  public let released: [UInt32]
  /// The accounts whose shares neither the chip nor the recovery key has.
  public let lost: [UInt32]

  /// The accounts, by uid.
  public init(kept: [UInt32] = [], released: [UInt32] = [], lost: [UInt32] = []) {
    self.kept = kept
    self.released = released
    self.lost = lost
  }
}
