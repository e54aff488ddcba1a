import AuthenticatorTypes

/// The attempts on one authenticator of one account: counters, locks, and the tickets that order them.
///
/// This type does no input or output; the account's file stores it, and each call is one write transaction. An attempt is
/// counted before its secret is checked (`charge`). Only a correct secret clears counts (`settle`): those up to its own ticket.
/// So if a hundred conversations run at the same time, exactly the allowed number of entries is checked, and a late correct
/// entry does not clear attempts that came after it.
///
/// A local lock stops every attempt. A lock of any other origin stops only attempts of that origin. Otherwise anyone who can
/// reach the host, or has an account on it, could lock people out at the machine itself.
public struct AttemptLedger: Equatable, Sendable {
  var lastTicket: UInt64 = 0
  private var counters = [AttemptCounter](repeating: AttemptCounter(), count: AttemptOrigin.allCases.count)

  /// Makes a ledger without attempts.
  public init() {}

  /// The attempts of one origin.
  subscript(origin: AttemptOrigin) -> AttemptCounter {
    get { counters[Int(origin.rawValue) - 1] }
    set { counters[Int(origin.rawValue) - 1] = newValue }
  }

  /// Ends every lock that is over at `now`.
  public mutating func pass(to now: BootTime) {
    for origin in AttemptOrigin.allCases { self[origin].pass(to: now) }
  }

  /// Counts one attempt, unless locked.
  public mutating func charge(
    _ origin: AttemptOrigin, at now: BootTime, policy configured: LockPolicy
  ) -> ChargeOutcome {
    pass(to: now)
    if let refusal = refusal(origin, at: now) { return refusal }
    let ticket = lastTicket &+ 1
    guard ticket > 0, ticket >> UInt64(AttemptTicket.bits) == 0 else { return .permanentlyLocked }
    lastTicket = ticket
    self[origin].charge(ticket: ticket, at: now, configured: configured)
    return .charged(ticket: ticket)
  }

  /// After a correct entry, clears the attempts of every origin up to this ticket, and the locks that they caused.
  public mutating func settle(_ ticket: UInt64) {
    for origin in AttemptOrigin.allCases { self[origin].settle(ticket) }
  }

  /// Ends every lock and clears every attempt; only for an administrator.
  ///
  /// The last ticket is kept, so that an attempt that is still being checked does not clear later attempts.
  public mutating func unlock() {
    for origin in AttemptOrigin.allCases { self[origin] = AttemptCounter() }
  }

  /// Whether this origin has no counted attempt and no lock, past or present.
  public func isClear(_ origin: AttemptOrigin) -> Bool { self[origin].isClear }

  /// Whether there are wrong entries that count towards the next lock.
  ///
  /// Those before the last lock do not count.
  public func hasWrongEntries(_ origin: AttemptOrigin) -> Bool {
    self[origin].lock == nil && !self[origin].charges.isEmpty
  }

  /// How many entries in a row were wrong, or are being checked; 0 if they have led to a lock.
  public func wrongEntries(_ origin: AttemptOrigin) -> Int {
    self[origin].lock == nil ? self[origin].charges.count : 0
  }

  /// The state of the attempts of this origin.
  public func status(_ origin: AttemptOrigin, at now: BootTime, policy configured: LockPolicy) -> LockStatus {
    let counter = self[origin]
    let limit = counter.effectivePolicy(configured: configured).retryCountToLock
    switch refusal(origin, at: now) {
    case .locked(let left): return LockStatus(isPermanent: false, remainingLock: left, remainingTries: 0)
    case .permanentlyLocked: return LockStatus(isPermanent: true, remainingLock: nil, remainingTries: 0)
    case .charged, nil:
      // If the stored lock has ended, the count starts again at zero.
      let used = counter.lock == nil ? counter.charges.count : 0
      // If the limit was lowered below the count, the account is locked with the next wrong entry, not earlier.
      return LockStatus(isPermanent: false, remainingLock: nil, remainingTries: max(1, limit - used))
    }
  }

  /// The lock that the charge with this ticket caused, if it still exists.
  func lock(broughtAboutBy ticket: UInt64) -> NewLock? {
    switch counters.compactMap(\.lock).first(where: { $0.ticket == ticket })?.length {
    case .permanent: .permanent
    case .temporary(let nanoseconds): .temporary(.nanoseconds(nanoseconds))
    case nil: nil
    }
  }

  /// The origins with a lock that has ended, but is still stored.
  func endedLocks(at now: BootTime) -> [AttemptOrigin] {
    var passed = self
    passed.pass(to: now)
    return AttemptOrigin.allCases.filter { self[$0].lock != nil && passed[$0].lock == nil }
  }

  /// Whether the configured policy is looser than the one under which attempts were counted, so that it does not apply yet
  /// (result 3015).
  public func refusesLooser(_ configured: LockPolicy, for origin: AttemptOrigin) -> Bool {
    self[origin].effectivePolicy(configured: configured) != configured
  }

  private func refusal(_ origin: AttemptOrigin, at now: BootTime) -> ChargeOutcome? {
    let locks = origin == .local ? [self[.local].lock] : [self[.local].lock, self[origin].lock]
    let remaining = locks.compactMap { $0?.remaining(at: now) }
    if remaining.contains(.forever) { return .permanentlyLocked }
    let longest = remaining.map { if case .time(let time) = $0 { time } else { Int64(0) } }.max()
    return longest.map { .locked(.nanoseconds($0)) }
  }
}

/// The attempts of one origin since the last correct entry.
struct AttemptCounter: Equatable, Sendable {
  /// Tickets of the attempts since the last lock that were wrong or are not settled yet; at most 10.
  var charges: [UInt64] = []
  /// Tickets of the locks since the last correct entry, the latest last.
  var locks: [UInt64] = []
  var lock: Lock?
  /// The policy that applied when the attempts and locks above were counted.
  var policy: LockPolicy?

  /// How many of ``locks`` are kept: enough for any `max_lock_count`, and for a doubling lock to reach its cap.
  static let locksKept = 24

  var isClear: Bool { charges.isEmpty && locks.isEmpty && lock == nil }

  /// The policy that applies now: the configured one, but never looser than the one under which attempts were counted
  /// (result 3015).
  func effectivePolicy(configured: LockPolicy) -> LockPolicy {
    guard !isClear, let policy else { return configured }
    return policy.stricter(configured)
  }

  /// Removes a lock that has ended; the count starts again at zero.
  ///
  /// Once this is on the disk, a reboot does not restart the lock.
  mutating func pass(to now: BootTime) {
    guard let lock else { return }
    if lock.remaining(at: now) == nil {
      self.lock = nil
      charges = []
    } else {
      self.lock?.restart(at: now)
    }
  }

  /// Counts one attempt if there is no lock, and sets the lock immediately if the attempt is the last one allowed.
  mutating func charge(ticket: UInt64, at now: BootTime, configured: LockPolicy) {
    let policy = effectivePolicy(configured: configured)
    self.policy = policy
    charges.append(ticket)
    guard charges.count >= policy.retryCountToLock else { return }
    let isPermanent = policy.maxLockCount.map { locks.count >= $0 } ?? false
    let length: Lock.Length =
      isPermanent ? .permanent : .temporary(nanoseconds: policy.lockNanoseconds(after: locks.count))
    lock = Lock(ticket: ticket, length: length, started: now)
    locks = (locks + [ticket]).suffix(Self.locksKept)
  }

  /// After a correct entry, clears the attempts up to this ticket, and a lock that one of them caused.
  ///
  /// A permanent lock is ended only by the very attempt that caused it.
  mutating func settle(_ ticket: UInt64) {
    charges.removeAll { $0 <= ticket }
    if let lock {
      let lifts = lock.length == .permanent ? lock.ticket == ticket : lock.ticket <= ticket
      if lifts { self.lock = nil }
    }
    if lock?.length != .permanent { locks.removeAll { $0 <= ticket } }
    if isClear { policy = nil }
  }
}

/// The numbers of attempts, which order them.
enum AttemptTicket {
  /// How many bits of a number are stored in a record.
  static let bits = 48
}

/// The outcome of counting an attempt, before its secret is checked.
public enum ChargeOutcome: Equatable, Sendable {
  /// Counted: the secret may be checked once now; if it is correct, the attempt is settled with this ticket.
  case charged(ticket: UInt64)
  /// Not counted: locked for this long.
  case locked(Duration)
  /// Not counted: locked until an administrator ends the lock.
  case permanentlyLocked
}

extension AttemptLedger {
  /// The fixed size of the record: counting an attempt then changes a page in place, which works even on a full disk.
  static let recordSize = 1024

  /// The format that is written.
  ///
  /// It has room for three full counters.
  private static let form: UInt8 = 2
  /// The format of earlier versions, which did not have ``AttemptOrigin/otherUser``.
  private static let formOfTwo: UInt8 = 1

  /// The ledger as the body of a record.
  var record: [UInt8] {
    var writer = RecordWriter(version: Self.form)
    writer.put(ticket: lastTicket)
    for origin in AttemptOrigin.allCases { self[origin].write(to: &writer) }
    writer.pad(to: Self.recordSize)
    return writer.bytes
  }

  /// Reads a record.
  ///
  /// From one in the earlier format, it takes over the counts and locks.
  ///
  /// - Throws: ``StateError/damaged``.
  init(record: [UInt8]) throws(StateError) {
    guard record.count == Self.recordSize else { throw .damaged }
    let isOld = record.first == Self.formOfTwo
    var reader = try RecordReader(record, version: isOld ? Self.formOfTwo : Self.form)
    let origins: [AttemptOrigin] = isOld ? [.local, .remote] : AttemptOrigin.allCases
    lastTicket = try reader.ticket(isWide: isOld)
    for origin in origins { self[origin] = try AttemptCounter(from: &reader, wideTickets: isOld) }
    try reader.finish()
  }
}

extension RecordWriter {
  /// Six bytes, because with eight the three counters would not fit into the record.
  fileprivate mutating func put(ticket: UInt64) {
    put(UInt16(truncatingIfNeeded: ticket >> 32))
    put(UInt32(truncatingIfNeeded: ticket))
  }
}

extension RecordReader {
  /// - Parameter isWide: whether the ticket has eight bytes, as in the earlier format.
  fileprivate mutating func ticket(isWide: Bool) throws(StateError) -> UInt64 {
    guard isWide else { return UInt64(try integer(UInt16.self)) << 32 | UInt64(try integer(UInt32.self)) }
    let ticket = try integer(UInt64.self)
    guard ticket >> UInt64(AttemptTicket.bits) == 0 else { throw .damaged }
    return ticket
  }
}

extension AttemptCounter {
  func write(to writer: inout RecordWriter) {
    for tickets in [charges, locks] {
      writer.put(UInt8(truncatingIfNeeded: tickets.count))
      for ticket in tickets { writer.put(ticket: ticket) }
    }
    writer.put(lock != nil)
    if let lock {
      writer.put(ticket: lock.ticket)
      switch lock.length {
      case .permanent: writer.put(true)
      case .temporary(let nanoseconds):
        writer.put(false)
        writer.put(nanoseconds)
      }
      writer.put(lock.started.bootID)
      writer.put(lock.started.nanoseconds)
      writer.put(lock.started.wallSeconds)
    }
    writer.put(policy != nil)
    policy?.write(to: &writer)
  }

  init(from reader: inout RecordReader, wideTickets: Bool) throws(StateError) {
    let longestRow = LockPolicy.retryCountRange.upperBound
    charges = try Self.tickets(from: &reader, atMost: longestRow, areWide: wideTickets)
    locks = try Self.tickets(from: &reader, atMost: Self.locksKept, areWide: wideTickets)
    if try reader.flag() { lock = try Self.lock(from: &reader, isWide: wideTickets) }
    if try reader.flag() { policy = try LockPolicy(from: &reader) }
  }

  private static func tickets(
    from reader: inout RecordReader, atMost limit: Int, areWide: Bool
  ) throws(StateError) -> [UInt64] {
    let count = try reader.integer(UInt8.self)
    guard count <= limit else { throw .damaged }
    var tickets: [UInt64] = []
    for _ in 0..<count { tickets.append(try reader.ticket(isWide: areWide)) }
    return tickets
  }

  private static func lock(from reader: inout RecordReader, isWide: Bool) throws(StateError) -> Lock {
    let ticket = try reader.ticket(isWide: isWide)
    let length: Lock.Length = try reader.flag() ? .permanent : .temporary(nanoseconds: try reader.integer())
    let bootID = try reader.data()
    let nanoseconds = try reader.integer(Int64.self)
    let wall = try reader.integer(Int64.self)
    return Lock(
      ticket: ticket, length: length,
      started: BootTime(bootID: bootID, nanoseconds: nanoseconds, wallSeconds: wall))
  }
}

extension LockPolicy {
  fileprivate func write(to writer: inout RecordWriter) {
    writer.put(UInt8(clamping: retryCountToLock))
    writer.put(lockTime.wholeNanoseconds)
    writer.put(maxLockCount != nil)
    if let maxLockCount { writer.put(UInt8(clamping: maxLockCount)) }
    writer.put(doublesUpTo != nil)
    if let doublesUpTo { writer.put(doublesUpTo.wholeNanoseconds) }
  }

  fileprivate init(from reader: inout RecordReader) throws(StateError) {
    let retries = Int(try reader.integer(UInt8.self))
    let lockTime = Duration.nanoseconds(try reader.integer(Int64.self))
    let maxLocks = try reader.flag() ? Int(try reader.integer(UInt8.self)) : nil
    let doubles = try reader.flag() ? Duration.nanoseconds(try reader.integer(Int64.self)) : nil
    self.init(retryCountToLock: retries, lockTime: lockTime, maxLockCount: maxLocks, doublesUpTo: doubles)
  }
}
