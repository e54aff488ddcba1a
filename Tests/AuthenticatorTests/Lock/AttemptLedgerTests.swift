import Testing

@testable import Authenticator
import AuthenticatorTypes

@Suite struct AttemptLedgerTests {
  private let policy = LockPolicy(retryCountToLock: 3, lockTime: .seconds(60), maxLockCount: 1)
  private let remotePolicy = LockPolicy(
    retryCountToLock: 2, lockTime: .seconds(100), maxLockCount: nil, doublesUpTo: .seconds(500))

  private func at(_ seconds: Int64, boot: UInt8 = 1) -> BootTime {
    BootTime(bootID: [boot], nanoseconds: seconds * 1_000_000_000, wallSeconds: 0)
  }

  private func charge(_ ledger: inout AttemptLedger, at seconds: Int64, boot: UInt8 = 1) -> ChargeOutcome {
    ledger.charge(.local, at: at(seconds, boot: boot), policy: policy)
  }

  private func ledger(charged count: Int, at seconds: Int64 = 0) -> AttemptLedger {
    var ledger = AttemptLedger()
    for _ in 0..<count { _ = charge(&ledger, at: seconds) }
    return ledger
  }

  @Test func `counts attempts up to the limit, and stores the lock together with the last of them`() {
    var ledger = AttemptLedger()
    #expect(charge(&ledger, at: 0) == .charged(ticket: 1))
    #expect(charge(&ledger, at: 1) == .charged(ticket: 2))
    #expect(ledger.status(.local, at: at(1), policy: policy).remainingTries == 1)
    #expect(charge(&ledger, at: 2) == .charged(ticket: 3))
    #expect(charge(&ledger, at: 3) == .locked(.seconds(59)))
  }

  @Test func `refuses attempts during a lock, and does not count them`() {
    var ledger = ledger(charged: 3)
    let before = ledger
    for second in 0..<60 { #expect(charge(&ledger, at: Int64(second)) == .locked(.seconds(60 - second))) }
    #expect(ledger == before)
  }

  @Test func `counts from zero again after a lock has ended`() {
    var ledger = ledger(charged: 3)
    #expect(charge(&ledger, at: 60) == .charged(ticket: 4))
    #expect(ledger.status(.local, at: at(60), policy: policy).remainingTries == 2)
  }

  @Test func `the lock is permanent once there were as many temporary locks as allowed`() {
    var ledger = ledger(charged: 3)
    for _ in 0..<3 { _ = charge(&ledger, at: 60) }
    #expect(charge(&ledger, at: 1_000_000) == .permanentlyLocked)
    #expect(charge(&ledger, at: 0, boot: 2) == .permanentlyLocked, "a reboot does not help")
  }

  @Test func `max_lock_count 0 makes the first lock permanent`() {
    var ledger = AttemptLedger()
    let strict = LockPolicy(retryCountToLock: 1, lockTime: .seconds(60), maxLockCount: 0)
    #expect(ledger.charge(.local, at: at(0), policy: strict) == .charged(ticket: 1))
    #expect(ledger.charge(.local, at: at(99), policy: strict) == .permanentlyLocked)
  }

  @Test func `a correct entry clears its own attempt, all earlier ones, and the lock that its attempt caused`() {
    var ledger = ledger(charged: 3)
    ledger.settle(3)
    #expect(ledger[.local] == AttemptCounter())
    #expect(charge(&ledger, at: 1) == .charged(ticket: 4))
  }

  @Test func `a late correct entry clears no attempt that came after it`() {
    var ledger = ledger(charged: 2)
    ledger.settle(1)
    #expect(ledger.status(.local, at: at(0), policy: policy).remainingTries == 2)
  }

  @Test func `a late correct entry does not end a newer lock`() {
    var ledger = ledger(charged: 3)
    ledger.settle(2)
    #expect(charge(&ledger, at: 1) == .locked(.seconds(59)))
  }

  @Test func `settling the same ticket a second time clears no attempt that came in between`() {
    var ledger = ledger(charged: 2)
    ledger.settle(2)
    _ = charge(&ledger, at: 0)
    ledger.settle(2)
    #expect(ledger.status(.local, at: at(0), policy: policy).remainingTries == 2)
  }

  @Test func `only the attempt that caused a permanent lock can end it`() {
    var ledger = ledger(charged: 3)
    for _ in 0..<3 { _ = charge(&ledger, at: 60) }
    var other = ledger
    other.settle(5)
    #expect(charge(&other, at: 60) == .permanentlyLocked)
    ledger.settle(6)
    #expect(charge(&ledger, at: 60) == .charged(ticket: 7))
  }

  @Test func `after a reboot a lock lasts its full length again, counted from the boot`() {
    var ledger = ledger(charged: 3, at: 1000)
    #expect(charge(&ledger, at: 0, boot: 2) == .locked(.seconds(60)))
    #expect(charge(&ledger, at: 5, boot: 2) == .locked(.seconds(55)))
    #expect(charge(&ledger, at: 59, boot: 2) == .locked(.seconds(1)))
    #expect(charge(&ledger, at: 60, boot: 2) == .charged(ticket: 4))
  }

  @Test func `after a reboot a lock ends even if nothing but its status is read`() {
    let ledger = ledger(charged: 3, at: 1000)
    for (second, left) in [(0, 60), (59, 1)] {
      let status = ledger.status(.local, at: at(Int64(second), boot: 2), policy: policy)
      #expect(status.remainingLock == .seconds(left) && status.isLocked)
    }
    let status = ledger.status(.local, at: at(60, boot: 2), policy: policy)
    #expect(status == LockStatus(isPermanent: false, remainingLock: nil, remainingTries: 3))
  }

  @Test func `a reboot does not restart a lock whose end was noticed before the reboot`() {
    var ledger = ledger(charged: 3)
    let unseen = ledger
    ledger.pass(to: at(60))
    #expect(!ledger.status(.local, at: at(0, boot: 2), policy: policy).isLocked)
    #expect(unseen.status(.local, at: at(0, boot: 2), policy: policy).isLocked)
    for _ in 0..<3 { _ = charge(&ledger, at: 0, boot: 2) }
    #expect(charge(&ledger, at: 0, boot: 2) == .permanentlyLocked, "it still counts as a lock")
  }

  @Test func `a lock whose start is in the future lasts no longer than its full length`() {
    var ledger = ledger(charged: 3, at: 1_000_000)
    #expect(charge(&ledger, at: 10) == .locked(.seconds(60)))
    #expect(charge(&ledger, at: 70) == .charged(ticket: 4))
  }

  @Test func `moving the wall clock neither shortens nor lengthens a lock`() {
    var ledger = ledger(charged: 3)
    var now = at(30)
    now.wallSeconds = .max
    #expect(ledger.charge(.local, at: now, policy: policy) == .locked(.seconds(30)))
  }

  @Test func `a remote lock stops remote attempts only`() {
    var ledger = AttemptLedger()
    for _ in 0..<2 { _ = ledger.charge(.remote, at: at(0), policy: remotePolicy) }
    #expect(ledger.charge(.remote, at: at(1), policy: remotePolicy) == .locked(.seconds(99)))
    #expect(charge(&ledger, at: 1) == .charged(ticket: 3))
  }

  @Test func `a lock for other users' attempts stops only other users' attempts`() {
    var ledger = AttemptLedger()
    for _ in 0..<2 { _ = ledger.charge(.otherUser, at: at(0), policy: remotePolicy) }
    #expect(ledger.charge(.otherUser, at: at(1), policy: remotePolicy) == .locked(.seconds(99)))
    #expect(ledger.charge(.remote, at: at(1), policy: remotePolicy) == .charged(ticket: 3))
    #expect(charge(&ledger, at: 1) == .charged(ticket: 4))
    #expect(ledger.status(.local, at: at(1), policy: policy).remainingTries == 2)
  }

  @Test func `other users' attempts never use up the account's own tries`() {
    var ledger = AttemptLedger()
    for second in 0..<100_000 {
      _ = ledger.charge(.otherUser, at: at(Int64(second) * 60), policy: remotePolicy)
    }
    #expect(ledger.status(.local, at: at(0), policy: policy).remainingTries == 3)
    #expect(!ledger.status(.otherUser, at: at(0), policy: remotePolicy).isPermanent)
  }

  @Test(arguments: [AttemptOrigin.remote, .otherUser]) func `a local lock refuses attempts of every origin`(
    _ origin: AttemptOrigin
  ) {
    var ledger = ledger(charged: 3)
    #expect(ledger.charge(origin, at: at(0), policy: remotePolicy) == .locked(.seconds(60)))
  }

  @Test func `each remote lock is twice as long as the one before, up to a cap, and none is permanent`() {
    var ledger = AttemptLedger()
    var now: Int64 = 0
    for expected: Int64 in [100, 200, 400, 500, 500] + Array(repeating: 500, count: 40) {
      for _ in 0..<2 { _ = ledger.charge(.remote, at: at(now), policy: remotePolicy) }
      #expect(ledger.charge(.remote, at: at(now), policy: remotePolicy) == .locked(.seconds(expected)))
      now += expected
    }
  }

  @Test func `a correct local entry also clears the attempts counted for remote and other users`() {
    var ledger = AttemptLedger()
    _ = ledger.charge(.otherUser, at: at(0), policy: remotePolicy)
    _ = ledger.charge(.remote, at: at(0), policy: remotePolicy)
    guard case .charged(let ticket) = charge(&ledger, at: 0) else { return #expect(Bool(false)) }
    ledger.settle(ticket)
    #expect(AttemptOrigin.allCases.allSatisfy(ledger.isClear))
  }

  @Test(arguments: [AttemptOrigin.remote, .otherUser])
  func `a correct local entry ends a lock that other users caused, and resets its doubled length`(
    _ origin: AttemptOrigin
  ) {
    var ledger = AttemptLedger()
    while case .charged = ledger.charge(origin, at: at(0), policy: remotePolicy) {}
    guard case .charged(let ticket) = charge(&ledger, at: 0) else { return #expect(Bool(false)) }
    #expect(ledger[origin].lock != nil && ledger[.local].lock == nil)
    ledger.settle(ticket)
    #expect(ledger.isClear(origin), "the next lock is as short as the first")
  }

  @Test func `a looser policy applies only once no attempt and no lock is left`() {
    var ledger = ledger(charged: 1)
    let loose = LockPolicy(retryCountToLock: 10, lockTime: .seconds(30), maxLockCount: 10)
    #expect(ledger.refusesLooser(loose, for: .local))
    #expect(ledger.status(.local, at: at(0), policy: loose).remainingTries == 2)
    ledger.settle(1)
    #expect(!ledger.refusesLooser(loose, for: .local))
    #expect(ledger.status(.local, at: at(0), policy: loose).remainingTries == 10)
  }

  @Test func `a stricter policy applies immediately`() {
    var ledger = ledger(charged: 2)
    let strict = LockPolicy(retryCountToLock: 1, lockTime: .seconds(600), maxLockCount: 0)
    #expect(ledger.charge(.local, at: at(0), policy: strict) == .charged(ticket: 3))
    #expect(ledger.charge(.local, at: at(0), policy: strict) == .permanentlyLocked)
  }

  @Test func `if a limit is lowered below the count, one try is left, and the status says so`() {
    var ledger = ledger(charged: 2)
    let strict = LockPolicy(retryCountToLock: 1, lockTime: .seconds(60), maxLockCount: 1)
    let status = ledger.status(.local, at: at(0), policy: strict)
    #expect(status == LockStatus(isPermanent: false, remainingLock: nil, remainingTries: 1))
    #expect(ledger.charge(.local, at: at(0), policy: strict) == .charged(ticket: 3))
    #expect(ledger.status(.local, at: at(0), policy: strict).isLocked)
  }

  @Test func `unlocking clears all attempts, and keeps the number of the last ticket`() {
    var ledger = ledger(charged: 3)
    ledger.unlock()
    #expect(charge(&ledger, at: 0) == .charged(ticket: 4))
  }

  @Test(arguments: [UInt64.max, 0xFFFF_FFFF_FFFF])
  func `at the highest ticket number an attempt is refused, and the number does not wrap around`(_ last: UInt64) {
    var ledger = AttemptLedger()
    ledger.lastTicket = last
    #expect(charge(&ledger, at: 0) == .permanentlyLocked)
  }
}
