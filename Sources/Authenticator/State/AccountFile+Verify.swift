import SecretMemory
import UAFCrypto

extension AccountFile {
  /// Tries a value: counts the attempt on disk, checks it, and takes the count back if it was right.
  ///
  /// No transaction and no lock of the file is held while the key is derived; that the caller holds
  /// a derivation slot is shown by `slot`. If the count cannot be written nothing is checked; if it
  /// cannot be taken back the attempt is refused and stays counted.
  ///
  /// - Throws: ``StateError``; `absent` where no value is set.
  public func verify(
    _ value: borrowing Secret, for type: AuthenticatorType, from origin: AttemptOrigin, at now: BootTime,
    policy: LockPolicy, in directory: borrowing StateDirectory, holding slot: borrowing DerivationSlot
  ) throws(StateError) -> Verification {
    guard let enrolled = try authenticator(type) else { throw .absent }
    let ticket: UInt64
    switch try charge(type, origin, at: now, policy: policy) {
    case .locked(let time): return .locked(time)
    case .permanentlyLocked: return .permanentlyLocked
    case .charged(let charged): ticket = charged
    }
    let wrap = KeyWrap(identity: identity, type: type)
    guard let unlocked = try wrap.open(enrolled, with: value, deviceSecret: directory.deviceSecret) else {
      return .wrong(newLock(type, by: ticket))
    }
    do throws(StateError) { try settle(type, ticket: ticket, of: enrolled) } catch {
      // Right when it was entered, and changed while it was checked: it is wrong now, and counted.
      guard error == .superseded else { throw error }
      return .wrong(newLock(type, by: ticket))
    }
    return .verified(unlocked)
  }

  /// For telling alone: what cannot be read is not told.
  private func newLock(_ type: AuthenticatorType, by ticket: UInt64) -> NewLock? {
    (try? ledger(type))?.lock(broughtAboutBy: ticket)
  }

  /// Seals a new random key under a new value, for a registration; nothing is stored before
  /// ``store(_:of:)``.
  ///
  /// - Throws: ``StateError/cryptography``.
  public static func enrol(
    _ value: borrowing Secret, for type: AuthenticatorType, identity: AccountIdentity, cost: Scrypt.Parameters,
    in directory: borrowing StateDirectory, holding slot: borrowing DerivationSlot
  ) throws(StateError) -> UnlockedAuthenticator {
    try KeyWrap(identity: identity, type: type).enrol(value, cost: cost, deviceSecret: directory.deviceSecret)
  }
}
