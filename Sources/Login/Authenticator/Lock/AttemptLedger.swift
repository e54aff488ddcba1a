import AuthenticatorTypes

/// The attempts on one authenticator of one account: counters, locks, and the tickets that order them.
///
/// A value without input or output: the account's file keeps it, inside one write transaction for
/// each call. An attempt is counted before its secret is checked (`charge`). Only a correct secret clears counts
/// (`settle`), by ticket. So of a hundred simultaneous conversations exactly the allowed number is checked, and a late
/// correct entry clears no attempt that came after it.
///
/// A local lock stops every attempt. A lock of any other origin stops only attempts of that origin. Otherwise anyone
/// who can reach the host, or has an account on it, could lock people out at the machine itself.
public struct AttemptLedger: Equatable, Sendable {
  var lastTicket: UInt64 = 0
  private var counters = [AttemptCounter](repeating: AttemptCounter(), count: AttemptOrigin.allCases.count)

  /// No attempts yet.
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

  /// Clears the attempts up to this ticket after a correct entry, and the locks that they caused, for every origin.
  public mutating func settle(_ ticket: UInt64) {
    for origin in AttemptOrigin.allCases { self[origin].settle(ticket) }
  }

  /// Ends every lock and clears every attempt; only for an administrator.
  ///
  /// The last ticket is kept, so that an attempt under way settles nothing that came later.
  public mutating func unlock() {
    for origin in AttemptOrigin.allCases { self[origin] = AttemptCounter() }
  }

  /// Whether this origin has no counted attempt and no lock, past or present.
  public func isClear(_ origin: AttemptOrigin) -> Bool { self[origin].isClear }

  /// Whether there are wrong entries that count towards the next lock, not those before the last lock.
  public func hasWrongEntries(_ origin: AttemptOrigin) -> Bool {
    self[origin].lock == nil && !self[origin].charges.isEmpty
  }

  /// The state of the attempts of this origin.
  public func status(_ origin: AttemptOrigin, at now: BootTime, policy configured: LockPolicy) -> LockStatus {
    let counter = self[origin]
    let limit = counter.effectivePolicy(configured: configured).retryCountToLock
    switch refusal(origin, at: now) {
    case .locked(let left): return LockStatus(isPermanent: false, remainingLock: left, remainingTries: 0)
    case .permanentlyLocked: return LockStatus(isPermanent: true, remainingLock: nil, remainingTries: 0)
    case .charged, nil:
      // A lock that has ended, but is still stored, set the count to zero.
      let used = counter.lock == nil ? counter.charges.count : 0
      // A limit lowered below the count locks with the next wrong entry, never before.
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

  /// Whether counted attempts keep a looser policy from taking effect (result 3015).
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
  /// Tickets of the wrong (or not yet settled) attempts since the last lock; at most 10.
  var charges: [UInt64] = []
  /// Tickets of the locks since the last correct entry, the latest last.
  var locks: [UInt64] = []
  var lock: Lock?
  /// The policy in force while there are attempts or locks above.
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

  /// Notes the end of a lock: the count starts at zero.
  ///
  /// Once that is written, no reboot restarts the lock.
  mutating func pass(to now: BootTime) {
    guard let lock else { return }
    if lock.remaining(at: now) == nil {
      self.lock = nil
      charges = []
    } else {
      self.lock?.restart(at: now)
    }
  }

  /// Counts one attempt if there is no lock, and writes the lock immediately if the attempt is the last one allowed.
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

  /// Clears the attempts up to this ticket after a correct entry, and a lock that is not younger.
  ///
  /// Only the attempt that caused a permanent lock ends it.
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
  /// A record keeps this many bits of a number.
  static let bits = 48
}

/// The outcome of a request to try a secret.
public enum ChargeOutcome: Equatable, Sendable {
  /// Counted: the secret may be checked now, once, and settled with this ticket if it is correct.
  case charged(ticket: UInt64)
  /// Not counted: locked for this long.
  case locked(Duration)
  /// Not counted: locked until an administrator unlocks.
  case permanentlyLocked
}

extension AttemptLedger {
  /// The fixed size of the record: a charge then changes a page in place, which works even on a full disk.
  static let recordSize = 1024

  /// The form that is written: three counters, each of which may be full.
  private static let form: UInt8 = 2
  /// The form of earlier versions, which knew no ``AttemptOrigin/otherUser``.
  private static let formOfTwo: UInt8 = 1

  /// The ledger as the body of a record.
  var record: [UInt8] {
    var writer = RecordWriter(version: Self.form)
    writer.put(ticket: lastTicket)
    for origin in AttemptOrigin.allCases { self[origin].write(to: &writer) }
    writer.pad(to: Self.recordSize)
    return writer.bytes
  }

  /// Reads a record, including one of the earlier form, and keeps its counts and locks.
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
  /// Six bytes: with eight the three counters would not fit into the record.
  fileprivate mutating func put(ticket: UInt64) {
    put(UInt16(truncatingIfNeeded: ticket >> 32))
    put(UInt32(truncatingIfNeeded: ticket))
  }
}

extension RecordReader {
  /// - Parameter isWide: whether it has eight bytes, as in the earlier form.
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
