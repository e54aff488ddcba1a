import Testing

@testable import Authenticator

@Suite struct ShareLimitTests {
  @Test func `is the sum of what the ledger lets through`() {
    #expect(LockPolicy.shareLimit(local: .localDefault, strangers: .remoteDefault) == 10 + 2 * 5 * 200)
  }

  @Test func `counts strangers who are locked for good like the person`() {
    var strangers = LockPolicy.remoteDefault
    strangers.maxLockCount = 2
    #expect(LockPolicy.shareLimit(local: .localDefault, strangers: strangers) == 10 + 2 * 15)
  }

  @Test func `stops nobody whose local locks are never for good`() {
    var local = LockPolicy.localDefault
    local.maxLockCount = nil
    #expect(LockPolicy.shareLimit(local: local, strangers: .remoteDefault) == .max)
  }

  @Test(arguments: [30, 300, 86_400]) func `a stranger without a pause does not reach it in half a year`(first: Int) {
    var strangers = LockPolicy.remoteDefault
    strangers.lockTime = .seconds(first)
    let limit = LockPolicy.shareLimit(local: .localDefault, strangers: strangers)
    var ledger = AttemptLedger()
    var now = BootTime(bootID: [1], nanoseconds: 0, wallSeconds: 0)
    let halfAYear: Int64 = 182 * 86_400 * 1_000_000_000
    var judged = 0
    while now.nanoseconds < halfAYear {
      var wait = Duration.zero
      for origin in [AttemptOrigin.remote, .otherUser] {
        while case .charged = ledger.charge(origin, at: now, policy: strangers) { judged += 1 }
        if case .locked(let time) = ledger.charge(origin, at: now, policy: strangers) { wait = max(wait, time) }
      }
      now.nanoseconds += wait.wholeNanoseconds
    }
    #expect(judged > 1000 && judged + 10 < Int(limit), "\(judged) of \(limit)")
  }
}
