import Glibc
import SecretMemory
import Testing
import UAFCrypto

@testable import Authenticator
import AuthenticatorTypes

/// When an unlock from the helpdesk ends the locks in an account's file, and what the file records about it.
@Suite struct GivenUnlockTests {
  private let folder = StateFolder()
  private let file: AccountFile
  private static let start: Int64 = 1_800_000_000
  private let policy = LockPolicy(retryCountToLock: 1, lockTime: .seconds(60), maxLockCount: 0)

  init() throws {
    let directory = try folder.initialised()
    let identity = AccountIdentity(uid: 4242, name: Array("mina".utf8), serverUserName: "mina")
    let slot = try #require(try DerivationSlotBox(directory))
    let unlocked = try AccountFile.enrol(
      Secret(copying: Array("correct".utf8).span), for: .passcode, identity: identity,
      cost: Scrypt.Parameters(logN: 4, r: 8, p: 1), in: directory, holding: slot.slot)
    let key = try unlocked.makeKey(appID: "https://example.com/facets")
    file = try AccountFile.create(in: directory, identity: identity, storing: [unlocked.registration(of: key)])
  }

  private func time(_ seconds: Int64, boot: UInt8 = 1) -> BootTime {
    BootTime(bootID: [boot], nanoseconds: seconds * 1_000_000_000, wallSeconds: Self.start + seconds)
  }

  private func lock(at seconds: Int64, _ origin: AttemptOrigin = .local) throws {
    _ = try file.charge(.passcode, origin, at: time(seconds), policy: policy)
    #expect(try isLocked(at: seconds, origin))
  }

  private func isLocked(at seconds: Int64, _ origin: AttemptOrigin = .local) throws -> Bool {
    try file.ledger(.passcode, at: time(seconds)).status(origin, at: time(seconds), policy: policy).isLocked
  }

  private func given(_ issued: Int64, lifetime: Int64 = 3600) -> GivenUnlock {
    GivenUnlock(issuedAt: Self.start + issued, expiresAt: Self.start + issued + lifetime)
  }

  // MARK: Effects

  @Test(arguments: AttemptOrigin.allCases) func `an unlock ends a lock of each origin, and works once`(
    origin: AttemptOrigin
  )
    throws
  {
    try lock(at: 0, origin)
    #expect(try given(10).use(for: file, at: time(20)) == .unlocked)
    #expect(try file.ledger(.passcode).isClear(origin))
    try lock(at: 30, origin)
    #expect(try given(10).use(for: file, at: time(40)) == .used)
    #expect(try isLocked(at: 40, origin))
  }

  @Test func `once an unlock was used, all unlocks that were issued before it are useless`() throws {
    try lock(at: 0)
    #expect(try given(120).use(for: file, at: time(130)) == .unlocked)
    try lock(at: 140)
    for earlier in [Int64(0), 60, 120, 125] { #expect(try given(earlier).use(for: file, at: time(150)) == .used) }
    #expect(try given(180).use(for: file, at: time(190)) == .unlocked)
  }

  @Test
  func `refuses an unlock that has expired, is not valid yet or is older than the lock, and keeps the lock`() throws {
    try lock(at: 1000)
    #expect(try given(1000).use(for: file, at: time(4601)) == .expired)
    #expect(try given(1000).use(for: file, at: time(699)) == .early)
    #expect(try given(699).use(for: file, at: time(1010)) == .olderThanLock)
    #expect(try isLocked(at: 1010))
    #expect(try given(700).use(for: file, at: time(1010)) == .unlocked)
  }

  @Test func `if one of several locks began after the unlock was issued, all locks stay`() throws {
    try lock(at: 0)
    // A local lock also stops remote attempts, so the remote lock is written here as an earlier version could have written it.
    var ledger = try file.ledger(.passcode)
    ledger[.remote].charge(ticket: 9, at: time(900), configured: policy)
    let later = ledger
    try file.contents.write { () throws(StateError) in try file.contents.put(later, .passcode) }
    #expect(try given(100).use(for: file, at: time(1000)) == .olderThanLock)
    #expect(try isLocked(at: 1000))
    #expect(try given(900).use(for: file, at: time(1000)) == .unlocked)
  }

  @Test func `an unlock that is tried while there is no lock can still be used later`() throws {
    #expect(try given(10).use(for: file, at: time(20)) == .notLocked)
    try lock(at: 15)
    #expect(try given(10).use(for: file, at: time(20)) == .unlocked)
  }

  @Test func `setting the clock back does not make a used unlock valid again`() throws {
    try lock(at: 0)
    #expect(try given(10).use(for: file, at: time(20)) == .unlocked)
    try lock(at: 30)
    let back = BootTime(bootID: [1], nanoseconds: 40_000_000_000, wallSeconds: Self.start + 5)
    #expect(try given(10).use(for: file, at: back) == .used)
  }

  // MARK: Typed codes

  @Test
  func `after five wrong unlock codes none is checked, even after a reboot, until a signed unlock clears the count`()
    throws
  {
    try lock(at: 0)
    for left in [4, 3, 2, 1] { #expect(try given(10).use(typed: false, for: file, at: time(20)) == .wrong(left: left)) }
    _ = try given(10).use(typed: false, for: file, at: time(20))
    guard case .held = try given(10).use(typed: true, for: file, at: time(21)) else {
      Issue.record("a right code was looked at")
      return
    }
    guard case .held = try given(10).use(typed: true, for: file, at: time(300, boot: 2)) else {
      Issue.record("a right code was looked at after a reboot")
      return
    }
    #expect(try given(10).use(for: file, at: time(22)) == .unlocked, "the payload still counts")
    try lock(at: 700)
    #expect(try given(7200).use(typed: true, for: file, at: time(7200)) == .unlocked)
    try lock(at: 7210)
    #expect(try given(20_000).use(typed: false, for: file, at: time(20_000)) == .wrong(left: 4))
  }

  @Test func `an unlock code that is right but expired counts like a wrong one`() throws {
    try lock(at: 1000)
    for _ in 0..<5 { #expect(try given(0).use(typed: true, for: file, at: time(4000)) == .expired) }
    guard case .held = try given(3900).use(typed: true, for: file, at: time(4000)) else {
      Issue.record("a right code was looked at")
      return
    }
    #expect(try isLocked(at: 4000))
  }

  @Test func `typed unlock codes end locks at most once an hour`() throws {
    try lock(at: 0)
    #expect(try given(0).use(typed: true, for: file, at: time(10)) == .unlocked)
    try lock(at: 20)
    #expect(try given(3599).use(typed: true, for: file, at: time(3590)) == .tooSoon)
    #expect(try isLocked(at: 3590))
    #expect(try given(3600).use(typed: true, for: file, at: time(3590)) == .unlocked)
  }

  // MARK: The file

  @Test func `if the record of the last unlock was edited, no unlock is accepted`() throws {
    try lock(at: 0)
    #expect(try given(10).use(for: file, at: time(20)) == .unlocked)
    try lock(at: 30)
    let marked = try #require(try file.records.body(.unlock, of: file.identity))
    try file.records.write { () throws(StateError) in try file.records.put(.unlock, body: marked, of: nil) }
    #expect(throws: StateError.damaged) { try given(7200).use(for: file, at: time(7200)) }
    #expect(throws: StateError.damaged) { try given(7200).use(typed: true, for: file, at: time(7200)) }
    #expect(try isLocked(at: 7200))
  }

  @Test func `reads back the record of an unlock, and refuses it if it is cut anywhere`() throws {
    var record = UnlockRecord()
    for used in [nil, Int64(0), 30_000_000] {
      record.latestMinute = used
      _ = record.charge(at: time(0))
      let bytes = record.record
      #expect(try UnlockRecord(record: bytes) == record)
      for count in bytes.indices {
        #expect(throws: StateError.damaged) { try UnlockRecord(record: Array(bytes[..<count])) }
      }
    }
  }

  @Test func `the record of an unlock is removed with the last key, and an unlock does nothing for an absent account`()
    throws
  {
    try lock(at: 0)
    #expect(try given(10).use(for: file, at: time(20)) == .unlocked)
    try file.reset(.passcode)
    #expect(try file.records.body(.unlock, of: nil) == nil)
    #expect(throws: StateError.absent) { try given(100).use(for: file, at: time(100)) }
  }
}
