import AuthenticatorTypes
import SecretMemory

/// The attempts on an account's authenticators, and their locks.
extension AccountFile {
  /// Tries a secret: counts the attempt on disk, checks it, and clears the count if it is correct.
  ///
  /// No transaction and no lock of the file is held while the key is derived; `slot` shows that the caller holds a derivation
  /// slot. If the count cannot be written, nothing is checked; if it cannot be cleared, the attempt is refused and stays
  /// counted.
  ///
  /// - Parameter onceOpened: called for a correct secret, before the count is cleared; if the count then cannot be cleared, the
  ///   attempt is refused all the same.
  /// - Throws: ``StateError``; `absent` if no secret is set.
  public func verify(
    _ value: borrowing Secret, for type: AuthenticatorType, from origin: AttemptOrigin, at now: BootTime,
    policy: LockPolicy, in directory: borrowing StateDirectory, holding slot: borrowing DerivationSlot,
    onceOpened: () -> Void = {}
  ) throws(StateError) -> Verification {
    guard let enrolled = try contents.authenticator(type) else { throw .absent }
    let ticket: UInt64
    switch try charge(type, origin, at: now, policy: policy) {
    case .locked(let time): return .locked(time)
    case .permanentlyLocked: return .permanentlyLocked
    case .charged(let charged): ticket = charged
    }
    let wrap = contents.wrap(type)
    let unlocked: UnlockedAuthenticator
    switch try UnlockedAuthenticator.open(enrolled, wrap: wrap, with: value, deviceSecret: directory.deviceSecret) {
    case .opened(let opened):
      unlocked = opened
      onceOpened()
    case .wrong: return .wrong(newLock(type, by: ticket))
    case .exhausted: return .exhausted
    }
    do throws(StateError) { try settle(type, ticket: ticket, of: enrolled) } catch {
      // The secret was changed while it was being checked. The entry was right when it was made, but it is wrong now, so it
      // stays counted.
      guard error == .superseded else { throw error }
      return .wrong(newLock(type, by: ticket))
    }
    return .verified(unlocked)
  }

  /// This is only shown to the person, so a ledger that cannot be read yields nil, not an error.
  private func newLock(_ type: AuthenticatorType, by ticket: UInt64) -> NewLock? {
    (try? contents.ledger(type))?.lock(broughtAboutBy: ticket)
  }

  /// Counts one attempt on an authenticator, on disk, before its secret may be checked.
  ///
  /// It makes one short write transaction, and holds no lock of the file afterwards.
  ///
  /// - Throws: ``StateError``: if nothing could be counted, nothing may be checked.
  public func charge(
    _ type: AuthenticatorType, _ origin: AttemptOrigin, at now: BootTime, policy: LockPolicy
  ) throws(StateError) -> ChargeOutcome {
    let (outcome, ended) = try contents.write { () throws(StateError) in
      var ledger = try contents.ledger(type)
      let before = ledger
      let outcome = ledger.charge(origin, at: now, policy: policy)
      if ledger != before { try contents.put(ledger, type) }
      return (outcome, before.endedLocks(at: now))
    }
    for origin in ended { lockEnded?(type, origin, identity) }
    return outcome
  }

  /// Clears the attempts up to this ticket after a correct entry, before anything is signed, and counts the signature that
  /// follows.
  ///
  /// - Parameter enrolled: the secret that was found correct. It must still be the one that is set: the old one must not log in
  ///   after a change, nor clear attempts counted after a reset.
  /// - Throws: ``StateError``: then the attempt stays counted, and is refused; `superseded` if a different secret is set now,
  ///   `absent` if none is.
  public func settle(
    _ type: AuthenticatorType, ticket: UInt64, of enrolled: EnrolledAuthenticator
  ) throws(StateError) {
    let counted = try contents.write { () throws(StateError) in
      guard let stored = try contents.authenticator(type) else { throw .absent }
      guard stored.sealedKey == enrolled.sealedKey else { throw .superseded }
      var ledger = try contents.ledger(type)
      ledger.settle(ticket)
      try contents.put(ledger, type)
      return try ReservedCounter.count(type, in: contents)
    }
    counter.keep(counted)
  }

  /// Ends every lock of every authenticator; only for an administrator.
  ///
  /// - Throws: ``StateError``.
  public func unlock() throws(StateError) {
    try contents.write { () throws(StateError) in try contents.clearAttempts() }
  }

  /// The attempts on an authenticator; for showing, not for deciding.
  ///
  /// - Throws: ``StateError``; `damaged` if an authenticator has no ledger: somebody removed it.
  public func ledger(_ type: AuthenticatorType) throws(StateError) -> AttemptLedger { try contents.ledger(type) }

  /// The attempts on an authenticator as they stand at `now`, for showing.
  ///
  /// If a lock has ended by then, that is stored, so that a reboot does not restart the lock. If it cannot be stored, the lock
  /// is shown as ended anyway.
  ///
  /// - Throws: as ``ledger(_:)``.
  public func ledger(_ type: AuthenticatorType, at now: BootTime) throws(StateError) -> AttemptLedger {
    let before = try contents.ledger(type)
    var told = before
    told.pass(to: now)
    guard told != before else { return told }
    let ended = try? contents.write { () throws(StateError) in
      // Read again: since the first read, another call may have counted attempts, or reported the end of the lock.
      var ledger = try contents.ledger(type)
      let ended = ledger.endedLocks(at: now)
      ledger.pass(to: now)
      try contents.put(ledger, type)
      return ended
    }
    for origin in ended ?? [] { lockEnded?(type, origin, identity) }
    return told
  }
}

/// The outcome of an entry.
public enum Verification: ~Copyable {
  /// The seal opened, and the count was cleared on disk.
  case verified(UnlockedAuthenticator)
  /// The entry was counted and checked, and was wrong. The payload is the lock that this attempt caused, if any.
  case wrong(NewLock?)
  /// Not checked: the authenticator is locked for this long.
  case locked(Duration)
  /// Not checked: locked until an administrator ends the lock.
  case permanentlyLocked
  /// Counted, but not checked: the chip has counted too many wrong secrets, and refuses until an administrator acts.
  case exhausted
}
