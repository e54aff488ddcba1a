/// The account's state as the server last reported it, in the account's file.
///
/// The account stage uses it if the server cannot be reached.
public struct StandingRecord: Equatable, Sendable {
  /// The account's state.
  public let standing: AccountStanding
  /// When the server was asked; the record's age is counted from then.
  public let asked: BootTime
  /// SHA-256 of the server's addresses and keys at that time.
  public let terms: [UInt8]
  /// The latest wall time seen, in seconds since 1970; it never goes back.
  private(set) var latestWallSeconds: Int64

  /// Makes a record.
  public init(_ standing: AccountStanding, asked: BootTime, terms: [UInt8]) {
    self.standing = standing
    self.asked = asked
    self.terms = terms
    latestWallSeconds = asked.wallSeconds
  }

  /// Whether the server was asked for this record later than for `other`.
  ///
  /// Two checks may run at the same time, and the one that asked the server first may be the last to store its record. A stored
  /// record from a different boot always counts as older.
  private func isNewer(than other: StandingRecord) -> Bool {
    asked.bootID == other.asked.bootID && asked.nanoseconds > other.asked.nanoseconds
  }

  // MARK: The file

  /// The record of an account; nil if there is none.
  ///
  /// - Throws: ``StateError``.
  public static func of(_ account: AccountFile) throws(StateError) -> StandingRecord? {
    guard let body = try account.records.body(.standing, of: account.identity) else { return nil }
    return try StandingRecord(record: body)
  }

  /// Stores the record, unless a record is stored for which the server was asked later.
  ///
  /// - Throws: ``StateError``; `absent` if the account was removed meanwhile.
  public func store(in account: AccountFile) throws(StateError) {
    try account.records.write { () throws(StateError) in
      // If the stored record is damaged, it is replaced: the server signed the new one.
      if let kept = try? Self.of(account), kept.isNewer(than: self) { return }
      try put(in: account)
    }
  }

  /// Whether an account that the server last reported as active may still be treated as active without the server.
  ///
  /// The current wall time is stored before this returns.
  ///
  /// - Parameter terms: SHA-256 of the server's addresses and keys in the current configuration.
  /// - Throws: ``StateError``; then the account must not be treated as active.
  public static func judge(
    _ account: AccountFile, at now: BootTime, maximumAge: Duration, terms: [UInt8]
  ) throws(StateError) -> OfflineJudgement {
    try account.records.write { () throws(StateError) -> OfflineJudgement in
      guard var record = try of(account), record.standing == .active else { return .refused(.noYes) }
      guard record.terms == terms else { return .refused(.otherTerms) }
      let latest = record.latestWallSeconds
      record.latestWallSeconds = max(latest, now.wallSeconds)
      if record.latestWallSeconds != latest { try record.put(in: account) }
      return OfflineJudgement(of: record.asked, at: now, maximumAge: maximumAge, latestWallSeconds: latest)
    }
  }

  private func put(in account: AccountFile) throws(StateError) {
    try account.contents.requireIdentityOrTombstone()
    try account.records.put(.standing, body: record, of: account.identity)
  }

  // MARK: Encoding

  private var record: [UInt8] {
    var writer = RecordWriter(version: 1)
    switch standing {
    case .active: writer.put(UInt8(1))
    case .disabled: writer.put(UInt8(2))
    case .locked: writer.put(UInt8(3))
    }
    if case .locked(let until) = standing { writer.put(until) }
    writer.put(asked.bootID)
    writer.put(asked.nanoseconds)
    writer.put(asked.wallSeconds)
    writer.put(terms)
    writer.put(latestWallSeconds)
    return writer.bytes
  }

  private init(record: [UInt8]) throws(StateError) {
    var reader = try RecordReader(record, version: 1)
    switch try reader.integer(UInt8.self) {
    case 1: standing = .active
    case 2: standing = .disabled
    case 3: standing = .locked(until: try reader.integer())
    default: throw .damaged
    }
    let bootID = try reader.data()
    let nanoseconds = try reader.integer(Int64.self)
    asked = BootTime(bootID: bootID, nanoseconds: nanoseconds, wallSeconds: try reader.integer())
    terms = try reader.data()
    latestWallSeconds = try reader.integer()
    try reader.finish()
  }
}

/// Whether an account may log in, as the server last reported.
public enum AccountStanding: Equatable, Sendable {
  /// It may log in.
  case active
  /// It must not log in until the server reports a different state.
  case disabled
  /// It must not log in until this time, in seconds since 1970.
  case locked(until: Int64)
}
