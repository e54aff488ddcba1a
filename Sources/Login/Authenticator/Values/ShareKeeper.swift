import SecretMemory
import UAFCrypto

/// Stores shares of authenticators' keys in a chip, which counts wrong secrets.
///
/// A share is a string of random bytes that is needed, together with the right secret, to open a key. The chip gives it out for
/// the two right values, which are derived from the secret that a person enters, and counts wrong ones. The record of a share
/// (`kept`) can be read only by the type that wrote it.
public protocol ShareKeeper: AnyObject {
  /// The cost of a derivation for a secret whose attempts the chip counts; nil if no new shares are made.
  var cost: Scrypt.Parameters? { get }

  /// Checks that an authenticator may be made without a share; called if ``cost`` is nil.
  ///
  /// - Throws: ``StateError/share`` if root demands a share.
  func allowNone() throws(StateError)

  /// Makes a share.
  ///
  /// - Parameters:
  ///   - type: the name of the authenticator's type.
  ///   - uid: the authenticator's account.
  ///   - mark: the identifier by which the chip finds the account's shares of this type.
  /// - Returns: nil if the chip has no room and root allows authenticators without a share.
  /// - Throws: ``StateError/share``.
  func make(
    _ values: borrowing Secret, for type: String, of uid: UInt32, mark: [UInt8]
  ) throws(StateError) -> NewShare?

  /// Opens a share; wrong values are counted.
  ///
  /// - Throws: ``StateError/share`` if the share cannot be opened with any values.
  func open(_ kept: [UInt8], with values: borrowing Secret) throws(StateError) -> OpenedShare

  /// Reports that a share was made without a copy for the recovery key, although there is a recovery key.
  func tellNoCopy(for type: String)

  /// Whether the share can still be opened here: the chip must have the share's index and the key under which the share was
  /// sealed.
  ///
  /// - Throws: ``StateError/share`` if that cannot be determined now.
  func holds(_ kept: [UInt8]) throws(StateError) -> Bool

  /// Takes as long as checking wrong values, so that the duration reveals nothing; without effect if registrations are not
  /// hidden.
  func openInVain(_ values: borrowing Secret)

  /// Sets the count of wrong values to 0.
  ///
  /// - Throws: ``StateError/share``.
  func clear(_ kept: [UInt8], for type: String, of uid: UInt32) throws(StateError)

  /// Removes a share that no record names any longer; if that fails, it is only logged.
  func remove(_ kept: [UInt8])

  /// Removes all shares with this identifier except one, including those that killed calls left behind.
  func remove(marked mark: [UInt8], but kept: [UInt8]?)
}

/// A share that was just made.
public struct NewShare: ~Copyable {
  /// The record by which the ``ShareKeeper`` finds the share again.
  let kept: [UInt8]
  let share: Secret

  /// Makes a new share.
  public init(_ share: consuming Secret, kept: [UInt8]) {
    self.share = share
    self.kept = kept
  }
}

/// The result of opening a share.
public enum OpenedShare: ~Copyable {
  /// The values are right.
  case opened(Secret)
  /// The values are wrong, and were counted.
  case wrong
  /// The values were not checked: too many wrong ones were counted before.
  case exhausted
}

/// The state of the accounts with shares, after the recovery key was used.
public struct RecoveredShares: Equatable, Sendable {
  /// The accounts for which the chip still counts wrong secrets.
  public let kept: [UInt32]
  /// The accounts that work without the chip until their secret is changed.
  public let released: [UInt32]
  /// The accounts whose shares can be recovered from neither the chip nor the recovery key.
  public let lost: [UInt32]

  /// Makes a result from lists of uids.
  public init(kept: [UInt32] = [], released: [UInt32] = [], lost: [UInt32] = []) {
    self.kept = kept
    self.released = released
    self.lost = lost
  }
}
