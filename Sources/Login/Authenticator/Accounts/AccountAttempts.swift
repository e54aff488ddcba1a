import AuthenticatorTypes
import SecretMemory

/// The attempts on an account's authenticators, and their locks, in the account's file.
struct AccountAttempts {
  let records: AccountRecords
  /// Called once for each lock that has ended, after the end is on the disk.
  private let lockEnded: AccountFile.LockEnded?
  /// Where the counter for the next signature goes.
  private let counter: ReservedCounter

  init(_ records: AccountRecords, reserving counter: ReservedCounter, lockEnded: AccountFile.LockEnded?) {
    self.records = records
    self.counter = counter
    self.lockEnded = lockEnded
  }

  /// Counts an attempt on disk, checks the secret, and clears the count if it is correct.
  ///
  /// No transaction is held while the key is derived.
  ///
  /// - Throws: ``StateError``; `absent` if no secret is set.
  func verify(
    _ value: borrowing Secret, for type: AuthenticatorType, from origin: AttemptOrigin, at now: BootTime,
    policy: LockPolicy, deviceSecret: borrowing Secret, onceOpened: () -> Void
  ) throws(StateError) -> Verification {
    guard let enrolled = try records.authenticator(type) else { throw .absent }
    let ticket: UInt64
    switch try charge(type, origin, at: now, policy: policy) {
    case .locked(let time): return .locked(time)
    case .permanentlyLocked: return .permanentlyLocked
    case .charged(let charged): ticket = charged
    }
    let wrap = records.wrap(type)
    let unlocked: UnlockedAuthenticator
    switch try UnlockedAuthenticator.open(enrolled, wrap: wrap, with: value, deviceSecret: deviceSecret) {
    case .opened(let opened):
      unlocked = opened
      onceOpened()
    case .wrong: return .wrong(newLock(type, by: ticket))
    case .exhausted: return .exhausted
    }
    do throws(StateError) { try settle(type, ticket: ticket, of: enrolled) } catch {
      // The secret was correct when it was entered, but was changed during the check: it is wrong now, and counted.
      guard error == .superseded else { throw error }
      return .wrong(newLock(type, by: ticket))
    }
    return .verified(unlocked)
  }

  /// Only for showing: a ledger that cannot be read is not shown.
  private func newLock(_ type: AuthenticatorType, by ticket: UInt64) -> NewLock? {
    (try? records.ledger(type))?.lock(broughtAboutBy: ticket)
  }

  /// Counts one attempt on an authenticator, on disk, before its secret may be checked.
  ///
  /// One short write transaction; nothing is held afterwards.
  ///
  /// - Throws: ``StateError``: if nothing could be counted, nothing may be checked.
  func charge(
    _ type: AuthenticatorType, _ origin: AttemptOrigin, at now: BootTime, policy: LockPolicy
  ) throws(StateError) -> ChargeOutcome {
    let (outcome, ended) = try records.write { () throws(StateError) in
      var ledger = try records.ledger(type)
      let before = ledger
      let outcome = ledger.charge(origin, at: now, policy: policy)
      if ledger != before { try records.put(ledger, type) }
      return (outcome, before.endedLocks(at: now))
    }
    for origin in ended { lockEnded?(type, origin, records.identity) }
    return outcome
  }

  /// Clears the attempts up to this ticket after a correct entry, and counts the signature that follows.
  ///
  /// - Throws: ``StateError``; `superseded` if a different secret is set now, `absent` if none is.
  func settle(_ type: AuthenticatorType, ticket: UInt64, of enrolled: EnrolledAuthenticator) throws(StateError) {
    let counted = try records.write { () throws(StateError) in
      guard let stored = try records.authenticator(type) else { throw .absent }
      guard stored.sealedKey == enrolled.sealedKey else { throw .superseded }
      var ledger = try records.ledger(type)
      ledger.settle(ticket)
      try records.put(ledger, type)
      return try ReservedCounter.count(type, in: records)
    }
    counter.keep(counted)
  }

  /// Lifts every lock of every authenticator.
  func unlock() throws(StateError) {
    try records.write { () throws(StateError) in try records.clearAttempts() }
  }

  /// The attempts on an authenticator, as they are at `now`.
  ///
  /// The end of a lock is stored, if possible.
  func ledger(_ type: AuthenticatorType, at now: BootTime) throws(StateError) -> AttemptLedger {
    let before = try records.ledger(type)
    var told = before
    told.pass(to: now)
    guard told != before else { return told }
    let ended = try? records.write { () throws(StateError) in
      // Read again: another call may have counted attempts since, or reported the end.
      var ledger = try records.ledger(type)
      let ended = ledger.endedLocks(at: now)
      ledger.pass(to: now)
      try records.put(ledger, type)
      return ended
    }
    for origin in ended ?? [] { lockEnded?(type, origin, records.identity) }
    return told
  }
}

/// The outcome of an entry.
public enum Verification: ~Copyable {
  /// The seal opened, and the count was cleared on disk.
  case verified(UnlockedAuthenticator)
  /// The entry was counted, checked, and wrong; with the lock that it caused, if any.
  case wrong(NewLock?)
  /// Not checked: the authenticator is locked for this long.
  case locked(Duration)
  /// Not checked: locked until an administrator unlocks.
  case permanentlyLocked
  /// Counted, but the chip did not check it: it has counted too many wrong values, and refuses until an administrator acts.
  case exhausted
}
