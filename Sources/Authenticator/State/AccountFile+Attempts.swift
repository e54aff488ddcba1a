extension AccountFile {
  /// Counts one attempt on an authenticator, on disk, before its value may be looked at.
  ///
  /// One short write transaction; nothing is held afterwards.
  ///
  /// - Throws: ``StateError``: where nothing could be counted, nothing may be checked.
  public func charge(
    _ type: AuthenticatorType, _ origin: AttemptOrigin, at now: BootTime, policy: LockPolicy
  ) throws(StateError) -> ChargeOutcome {
    let (outcome, ended) = try records.write { () throws(StateError) in
      var ledger = try ledger(type)
      let before = ledger
      let outcome = ledger.charge(origin, at: now, policy: policy)
      if ledger != before { try put(ledger, type) }
      return (outcome, before.endedLocks(at: now))
    }
    for origin in ended { lockEnded?(type, origin) }
    return outcome
  }

  /// Takes back what a right value takes back.
  ///
  /// Called when the seal opened, before the network.
  ///
  /// - Parameter enrolled: the value that was found right, which must still be the one that is set: an entry of the old one
  ///   must not let in after a change, nor take back what was counted after a reset.
  /// - Throws: ``StateError``: the count then stands, and the attempt is refused; `superseded` for another
  ///   value, `absent` for none.
  public func settle(
    _ type: AuthenticatorType, ticket: UInt64, of enrolled: EnrolledAuthenticator
  ) throws(StateError) {
    try records.write { () throws(StateError) in
      guard let stored = try authenticator(type) else { throw .absent }
      guard stored.sealedKey == enrolled.sealedKey else { throw .superseded }
      var ledger = try ledger(type)
      ledger.settle(ticket)
      try put(ledger, type)
    }
  }

  /// Lifts every lock of every authenticator: an administrator's doing.
  ///
  /// - Throws: ``StateError``.
  public func unlock() throws(StateError) {
    try records.write { () throws(StateError) in
      for type in AuthenticatorType.allCases where try authenticator(type) != nil {
        var ledger = try ledger(type)
        ledger.unlock()
        try put(ledger, type)
      }
    }
  }

  /// The attempts on an authenticator; for telling, not for deciding.
  ///
  /// - Throws: ``StateError``; `damaged` where an authenticator has no ledger: somebody removed it.
  public func ledger(_ type: AuthenticatorType) throws(StateError) -> AttemptLedger {
    guard let body = try records.body(.ledger, name: Array(type.rawValue.utf8), of: identity) else { throw .damaged }
    return try AttemptLedger(record: body)
  }

  /// The attempts as they stand at a moment, for telling.
  ///
  /// That a lock is over is written down, so that a reboot does not bring it back; where it cannot be, it is told all the same.
  ///
  /// - Throws: as ``ledger(_:)``.
  public func ledger(_ type: AuthenticatorType, at now: BootTime) throws(StateError) -> AttemptLedger {
    let before = try ledger(type)
    var told = before
    told.pass(to: now)
    guard told != before else { return told }
    let ended = try? records.write { () throws(StateError) in
      // Read again: attempts may have been counted since, and another call may have told it.
      var ledger = try ledger(type)
      let ended = ledger.endedLocks(at: now)
      ledger.pass(to: now)
      try put(ledger, type)
      return ended
    }
    for origin in ended ?? [] { lockEnded?(type, origin) }
    return told
  }

  func put(_ ledger: AttemptLedger, _ type: AuthenticatorType) throws(StateError) {
    try records.put(.ledger, name: Array(type.rawValue.utf8), body: ledger.record, of: identity)
  }
}
