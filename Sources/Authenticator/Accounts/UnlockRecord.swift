/// What an account's file keeps of unlocks by the helpdesk: which was used last, and the wrong codes.
///
/// The minute of the last one's issue is enough: nothing that was issued in that minute or before counts any more. So no list
/// grows, and a clock that is set back brings nothing back.
struct UnlockRecord: Equatable {
  /// In minutes since 1970; nil as long as none was used.
  var latestMinute: Int64?
  private var tries = AttemptLedger()

  /// Before anything was used or typed.
  init() {}

  /// The longest pause after wrong codes, in seconds.
  static let longestPause: Int64 = 86_400
  /// Five wrong codes, then a pause of 10 minutes, which doubles up to a day until a code was right.
  private static let policy = LockPolicy(
    retryCountToLock: 5, lockTime: .seconds(600), maxLockCount: nil, doublesUpTo: .seconds(longestPause))

  /// Counts a code that is about to be looked at.
  mutating func charge(at now: BootTime) -> ChargeOutcome { tries.charge(.local, at: now, policy: Self.policy) }

  /// Wrong codes that are left before the next pause.
  func left(at now: BootTime) -> Int { tries.status(.local, at: now, policy: Self.policy).remainingTries }

  /// Forgets the wrong codes.
  mutating func clear() { tries.unlock() }

  // MARK: The file

  /// The record of an account.
  ///
  /// - Throws: ``StateError``; `damaged` for one that cannot be read: nobody may take away what was used.
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
