import AuthenticatorTypes

/// An unlock that the server's helpdesk has given out for an account of this machine, and has been verified as the server's.
public struct GivenUnlock: Equatable, Sendable {
  /// Seconds by which the clocks of server and machine may differ, when their times are compared.
  ///
  /// A machine without a network has nothing to set its clock by. So an unlock that nobody has used works for a lock that began
  /// up to this many seconds after its issue.
  public static let clockTolerance: Int64 = 300
  /// The minimum number of minutes between the last used unlock and the issue of a typed one.
  ///
  /// Whoever has the machine's secret can make typed codes. Each of them would allow five more guesses.
  public static let typedPause: Int64 = 60

  /// When it was issued, in seconds since 1970, by the server's clock.
  public let issuedAt: Int64
  /// Seconds since 1970, by the server's clock.
  public let expiresAt: Int64

  /// An unlock.
  public init(issuedAt: Int64, expiresAt: Int64) {
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
  }

  /// The minute of its issue, the only time that both forms contain.
  private var minute: Int64 { issuedAt / 60 }

  /// What can happen to an unlock.
  public enum Outcome: Equatable, Sendable {
    /// Every lock has ended, and the unlock is used.
    case unlocked
    /// It is from the future.
    case early
    /// Its time is over.
    case expired
    /// This unlock was used, or one that was issued later or in the same minute.
    case used
    /// A lock began after it was issued.
    case olderThanLock
    /// There is no lock.
    case notLocked
    /// It was typed, and another unlock was used less than an hour before it was issued.
    case tooSoon
    /// The typed code is wrong; with the wrong codes left before a pause.
    case wrong(left: Int)
    /// Too many codes were wrong; none is checked for this time.
    case held(Duration)
  }

  // MARK: Using it

  /// Ends every lock of an account and notes that the unlock was used, in one transaction; if it is refused, nothing changes.
  ///
  /// - Throws: ``StateError``.
  public func use(for account: AccountFile, at now: BootTime) throws(StateError) -> Outcome {
    let records = account.contents
    return try records.write { () throws(StateError) in
      try records.requireIdentity()
      var record = try UnlockRecord.of(account)
      let outcome = try outcome(of: record, records, at: now)
      if outcome == .unlocked {
        record.latestMinute = minute
        try record.put(in: account)
      }
      return outcome
    }
  }

  /// Uses an unlock that was typed, and may be wrong: each try is counted, and only a code that unlocks clears the count.
  ///
  /// Nothing about `isRight` is disclosed before the count is on the disk.
  ///
  /// - Throws: ``StateError``.
  public func use(
    typed isRight: Bool, for account: AccountFile, at now: BootTime
  ) throws(StateError) -> Outcome {
    let records = account.contents
    return try records.write { () throws(StateError) in
      try records.requireIdentity()
      var record = try UnlockRecord.of(account)
      let outcome: Outcome
      switch record.charge(at: now) {
      case .locked(let time): return .held(time)
      case .permanentlyLocked: return .held(.seconds(UnlockRecord.longestPause))
      case .charged:
        outcome = try isRight ? typedOutcome(of: record, records, at: now) : .wrong(left: record.left(at: now))
      }
      if outcome == .unlocked {
        record.latestMinute = minute
        record.clear()
      }
      try record.put(in: account)
      return outcome
    }
  }

  private func typedOutcome(
    of record: UnlockRecord, _ records: AccountRecords, at now: BootTime
  ) throws(StateError) -> Outcome {
    if let latest = record.latestMinute, minute > latest, minute - latest < Self.typedPause { return .tooSoon }
    return try outcome(of: record, records, at: now)
  }

  /// Judges it, and clears the locks if it is valid; inside `write`.
  private func outcome(
    of record: UnlockRecord, _ records: AccountRecords, at now: BootTime
  ) throws(StateError) -> Outcome {
    guard issuedAt <= now.wallSeconds + Self.clockTolerance else { return .early }
    if let latest = record.latestMinute, minute <= latest { return .used }
    guard now.wallSeconds <= expiresAt else { return .expired }
    let begun = try Self.beginnings(of: records, at: now)
    guard !begun.isEmpty else { return .notLocked }
    guard begun.allSatisfy({ $0 <= issuedAt + Self.clockTolerance }) else { return .olderThanLock }
    try records.clearAttempts()
    return .unlocked
  }

  /// When the account's locks began, of all types and origins, in seconds since 1970.
  private static func beginnings(of records: AccountRecords, at now: BootTime) throws(StateError) -> [Int64] {
    var found: [Int64] = []
    for type in AuthenticatorType.allCases where try records.authenticator(type) != nil {
      var ledger = try records.ledger(type)
      ledger.pass(to: now)
      found += AttemptOrigin.allCases.compactMap { ledger[$0].lock?.started.wallSeconds }
    }
    return found
  }
}

/// What an account's file records about unlocks from the helpdesk: which was used last, and the wrong codes.
///
/// The minute of the last one's issue is enough: an unlock issued in that minute or earlier is no longer valid. So no list grows,
/// and setting the clock back revives nothing.
struct UnlockRecord: Equatable {
  /// In minutes since 1970; nil until one is used.
  var latestMinute: Int64?
  private var tries = AttemptLedger()

  /// Before anything was used or typed.
  init() {}

  /// The longest pause after wrong codes, in seconds.
  static let longestPause: Int64 = 86_400
  /// Five wrong codes, then a pause of 10 minutes, which doubles up to a day until a code is right.
  private static let policy = LockPolicy(
    retryCountToLock: 5, lockTime: .seconds(600), maxLockCount: nil, doublesUpTo: .seconds(longestPause))

  /// Counts a code that is about to be checked.
  mutating func charge(at now: BootTime) -> ChargeOutcome { tries.charge(.local, at: now, policy: Self.policy) }

  /// Wrong codes that are left before the next pause.
  func left(at now: BootTime) -> Int { tries.status(.local, at: now, policy: Self.policy).remainingTries }

  /// Forgets the wrong codes.
  mutating func clear() { tries.unlock() }

  // MARK: The file

  /// The record of an account.
  ///
  /// - Throws: ``StateError``; `damaged` for one that cannot be read: a used unlock must not become valid again.
  static func of(_ account: AccountFile) throws(StateError) -> UnlockRecord {
    guard let body = try account.records.body(.unlock, of: account.identity) else { return UnlockRecord() }
    return try UnlockRecord(record: body)
  }

  /// Stores it; inside `write`.
  func put(in account: AccountFile) throws(StateError) {
    try account.records.put(.unlock, body: record, of: account.identity)
  }

  /// The body of the record.
  var record: [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(latestMinute != nil)
    writer.put(latestMinute ?? 0)
    writer.put(tries.record)
    return writer.bytes
  }

  /// Reads a body.
  ///
  /// - Throws: ``StateError/damaged``.
  init(record: [UInt8]) throws(StateError) {
    var reader = try RecordReader(record, version: 1)
    let isUsed = try reader.flag()
    let minute = try reader.integer(Int64.self)
    tries = try AttemptLedger(record: try reader.data())
    try reader.finish()
    guard isUsed || minute == 0 else { throw .damaged }
    latestMinute = isUsed ? minute : nil
  }
}
