extension AttemptLedger {
  /// The fixed size of the record: a charge then changes a page in place, which works on a full disk too.
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

  /// Reads a record, also one of the earlier form, and keeps its counts and locks.
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
  /// - Parameter isWide: whether it has eight bytes, as in the form before this one.
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
