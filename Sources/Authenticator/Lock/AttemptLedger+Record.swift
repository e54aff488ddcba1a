extension AttemptLedger {
  /// The size of the record, whatever it holds: a charge then changes a page in place, which works
  /// on a full disk too.
  static let recordSize = 1024

  /// The ledger as the body of a record.
  var record: [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(lastTicket)
    for counter in [local, remote] { counter.write(to: &writer) }
    writer.pad(to: Self.recordSize)
    return writer.bytes
  }

  /// Reads a record.
  ///
  /// - Throws: ``StateError/damaged``.
  init(record: [UInt8]) throws(StateError) {
    guard record.count == Self.recordSize else { throw .damaged }
    var reader = try RecordReader(record, version: 1)
    lastTicket = try reader.integer()
    local = try AttemptCounter(from: &reader)
    remote = try AttemptCounter(from: &reader)
    try reader.finish()
  }
}

extension AttemptCounter {
  func write(to writer: inout RecordWriter) {
    for tickets in [charges, locks] {
      writer.put(UInt8(truncatingIfNeeded: tickets.count))
      for ticket in tickets { writer.put(ticket) }
    }
    writer.put(lock != nil)
    if let lock {
      writer.put(lock.ticket)
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

  init(from reader: inout RecordReader) throws(StateError) {
    charges = try Self.tickets(from: &reader)
    locks = try Self.tickets(from: &reader)
    if try reader.flag() { lock = try Self.lock(from: &reader) }
    if try reader.flag() { policy = try LockPolicy(from: &reader) }
  }

  private static func tickets(from reader: inout RecordReader) throws(StateError) -> [UInt64] {
    let count = try reader.integer(UInt8.self)
    guard count <= locksKept else { throw .damaged }
    var tickets: [UInt64] = []
    for _ in 0..<count { tickets.append(try reader.integer()) }
    return tickets
  }

  private static func lock(from reader: inout RecordReader) throws(StateError) -> Lock {
    let ticket = try reader.integer(UInt64.self)
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
