import Testing

@testable import Authenticator
import AuthenticatorTypes

/// The ledger stored as a record of fixed size, and the records that earlier versions stored.
@Suite struct LedgerRecordTests {
  private let policy = LockPolicy(retryCountToLock: 3, lockTime: .seconds(300), maxLockCount: 2)
  private let othersPolicy = LockPolicy(
    retryCountToLock: 2, lockTime: .seconds(600), maxLockCount: nil, doublesUpTo: .seconds(86_400))

  private func at(_ seconds: Int64, boot: [UInt8] = [1]) -> BootTime {
    BootTime(bootID: boot, nanoseconds: seconds * 1_000_000_000, wallSeconds: 0)
  }

  private func fullLedger() -> AttemptLedger {
    var ledger = AttemptLedger()
    for origin in [AttemptOrigin.otherUser, .remote, .local] {
      for _ in 0..<3 { _ = ledger.charge(origin, at: at(7), policy: origin == .local ? policy : othersPolicy) }
    }
    return ledger
  }

  @Test func `a record restores the ledger from which it was made`() throws {
    let ledger = fullLedger()
    #expect(ledger.record.count == AttemptLedger.recordSize)
    #expect(try AttemptLedger(record: ledger.record) == ledger)
  }

  @Test func `refuses a record that is too short or too long`() {
    let record = fullLedger().record
    for length in 0..<record.count {
      #expect(throws: StateError.damaged) { try AttemptLedger(record: Array(record.prefix(length))) }
    }
    #expect(throws: StateError.damaged) { try AttemptLedger(record: record + [0]) }
  }

  @Test func `the longest counters fit into the ledger's record`() throws {
    let longest = BootTime(bootID: Array(repeating: 0xFF, count: 64), nanoseconds: .max, wallSeconds: .max)
    var ledger = AttemptLedger()
    ledger.lastTicket = (1 << 48) - 1
    for origin in AttemptOrigin.allCases {
      var counter = AttemptCounter()
      counter.charges = Array(repeating: ledger.lastTicket, count: LockPolicy.retryCountRange.upperBound)
      counter.locks = Array(repeating: ledger.lastTicket, count: AttemptCounter.locksKept)
      counter.lock = Lock(ticket: ledger.lastTicket, length: .temporary(nanoseconds: .max), started: longest)
      counter.policy = LockPolicy(
        retryCountToLock: 10, lockTime: .seconds(86_400), maxLockCount: 10, doublesUpTo: .seconds(86_400))
      ledger[origin] = counter
    }
    #expect(ledger.record.count == AttemptLedger.recordSize)
    #expect(try AttemptLedger(record: ledger.record) == ledger)
  }

  @Test func `refuses a record with more attempts than any limit allows`() throws {
    var ledger = AttemptLedger()
    ledger[.otherUser].charges = Array(1...10)
    #expect(try AttemptLedger(record: ledger.record) == ledger)
    ledger[.otherUser].charges.append(11)
    #expect(throws: StateError.damaged) { try AttemptLedger(record: ledger.record) }
  }

  // MARK: Records of version 0.1.0 from before other users' attempts were counted separately

  private static let boot = "24" + "31313131" + "313131312d323232322d333333332d343434342d353535353535353535353535"

  /// First a lock for remote attempts (ticket 2), then one for local attempts (ticket 5).
  static let oldLocked =
    "010000000000000005030000000000000003000000000000000400000000000000050100000000000000050100000000000000050000000045"
    + "D964B80000" + boot + "0000016F5F04CE69000000006B02C60B010300000045D964B800010200"
    + "0200000000000000010000000000000002010000000000000002010000000000000002000000008BB2C9700000" + boot
    + "0000016F594373A4000000006B02C60B01020000008BB2C97000000100004E94914F0000"

  /// Two wrong local entries and one wrong remote entry.
  private static let oldCounted =
    "01000000000000000302000000000000000100000000000000020000010300000045D964B80001020001000000000000000300"
    + "0001020000008BB2C97000000100004E94914F0000"

  static func record(_ hex: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = hex[...]
    while rest.count >= 2 {
      bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
      rest = rest.dropFirst(2)
    }
    return bytes + Array(repeating: 0, count: AttemptLedger.recordSize - bytes.count)
  }

  @Test func `the ledger record of an older version keeps its locks, and starts other users' count at zero`() throws {
    var ledger = try AttemptLedger(record: Self.record(Self.oldLocked))
    let later = at(0, boot: [2])
    #expect(ledger.lastTicket == 5 && ledger.isClear(.otherUser))
    #expect(ledger.status(.local, at: later, policy: policy).remainingLock == .seconds(300))
    #expect(ledger.status(.remote, at: later, policy: othersPolicy).remainingLock == .seconds(600))
    #expect(ledger.charge(.otherUser, at: later, policy: othersPolicy) == .locked(.seconds(300)))
    // Rewritten with the first change, with the same content in the new format.
    #expect(ledger.record.first == 2)
    #expect(try AttemptLedger(record: ledger.record) == ledger)
    ledger.settle(5)
    #expect(!ledger.status(.local, at: later, policy: policy).isLocked)
  }

  @Test func `the ledger record of an older version keeps its counts`() throws {
    var ledger = try AttemptLedger(record: Self.record(Self.oldCounted))
    let now = at(0, boot: [2])
    #expect(ledger.status(.local, at: now, policy: policy).remainingTries == 1)
    #expect(ledger.status(.remote, at: now, policy: othersPolicy).remainingTries == 1)
    #expect(ledger.charge(.otherUser, at: now, policy: othersPolicy) == .charged(ticket: 4))
    #expect(ledger.charge(.local, at: now, policy: policy) == .charged(ticket: 5))
    #expect(ledger.charge(.local, at: now, policy: policy) == .locked(.seconds(300)))
  }

  @Test func `refuses a record of a later version, and a record whose version number was changed`() {
    for (hex, form) in [(Self.oldLocked, UInt8(2)), (Self.oldLocked, 3), (Self.oldLocked, 0), (Self.oldCounted, 2)] {
      var record = Self.record(hex)
      record[0] = form
      #expect(throws: StateError.damaged, "form \(form)") { try AttemptLedger(record: record) }
    }
    var new = fullLedger().record
    new[0] = 1
    #expect(throws: StateError.damaged) { try AttemptLedger(record: new) }
  }

  @Test func `refuses the ledger record of an older version if it is cut or has too many entries`() {
    let record = Self.record(Self.oldLocked)
    for length in 0..<record.count {
      #expect(throws: StateError.damaged) { try AttemptLedger(record: Array(record.prefix(length))) }
    }
    var wide = record
    wide[1] = 1
    #expect(throws: StateError.damaged) { try AttemptLedger(record: wide) }
  }
}
