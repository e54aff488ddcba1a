import AuthenticatorTypes

/// An unlock that the server's helpdesk has issued for an account of this machine, and that was verified to come from the
/// server.
public struct GivenUnlock: Equatable, Sendable {
  /// Seconds by which the clocks of server and machine may differ, when an unlock is compared with the time on this machine.
  ///
  /// A machine without a network cannot set its clock. So an unused unlock also ends a lock that began up to this many seconds
  /// after the unlock was issued.
  public static let clockTolerance: Int64 = 300
  /// The minimum number of minutes between the last used unlock and the issue of a typed one.
  ///
  /// Whoever has the machine secret can make unlock codes to type, and each of them allows five more guesses. This pause limits
  /// that.
  public static let typedPause: Int64 = 60

  /// When it was issued, in seconds since 1970, by the server's clock.
  public let issuedAt: Int64
  /// When it expires, in seconds since 1970, by the server's clock.
  public let expiresAt: Int64

  /// Makes an unlock.
  public init(issuedAt: Int64, expiresAt: Int64) {
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
  }

  /// The minute of its issue.
  ///
  /// A signed unlock contains the second, but a typed one contains only the minute.
  private var minute: Int64 { issuedAt / 60 }

  /// What came of using an unlock.
  public enum Outcome: Equatable, Sendable {
    /// Every lock has ended, and the unlock is used.
    case unlocked
    /// It was issued in the future, by this machine's clock.
    case early
    /// It has expired.
    case expired
    /// An unlock was already used: this one, or one that was issued later or in the same minute.
    case used
    /// A lock began after the unlock was issued.
    case olderThanLock
    /// The account has no lock to end.
    case notLocked
    /// It was typed, and another unlock was used less than an hour before it was issued.
    case tooSoon
    /// The typed code is wrong. The payload is how many more wrong codes are allowed before a pause.
    case wrong(left: Int)
    /// Too many codes were wrong; no code is checked for the next `Duration`.
    case held(Duration)
  }

  // MARK: Using an unlock

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

  /// Uses an unlock from a code that was typed.
  ///
  /// The code may be wrong, so each try is counted; only a code that ends the locks clears the count.
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

  /// Decides whether the unlock is valid, and if so ends the locks; inside `write`.
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

  /// The times at which the account's locks began, for all authenticator types and origins, in seconds since 1970.
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

/// What an account's file records about unlocks from the helpdesk: which was used last, and how many wrong codes were typed.
///
/// Only the minute is kept in which the last used unlock was issued: an unlock that was issued in that minute or earlier is no
/// longer valid. So no list grows, and setting the clock back makes no used unlock valid again.
struct UnlockRecord: Equatable {
  /// The minute in which the last used unlock was issued, counted since 1970; nil until one is used.
  var latestMinute: Int64?
  private var tries = AttemptLedger()

  /// The record of an account for which no unlock was used and no code typed.
  init() {}

  /// The longest pause after wrong codes, in seconds.
  static let longestPause: Int64 = 86_400
  /// Five wrong codes, then a pause of 10 minutes, which doubles up to a day until a code is right.
  private static let policy = LockPolicy(
    retryCountToLock: 5, lockTime: .seconds(600), maxLockCount: nil, doublesUpTo: .seconds(longestPause))

  /// Counts a code that is about to be checked.
  mutating func charge(at now: BootTime) -> ChargeOutcome { tries.charge(.local, at: now, policy: Self.policy) }

  /// How many wrong codes are left before the next pause.
  func left(at now: BootTime) -> Int { tries.status(.local, at: now, policy: Self.policy).remainingTries }

  /// Clears the count of wrong codes.
  mutating func clear() { tries.unlock() }

  // MARK: The file

  /// The record of an account.
  ///
  /// - Throws: ``StateError``; `damaged` if the record cannot be read: a used unlock must not become valid again.
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
