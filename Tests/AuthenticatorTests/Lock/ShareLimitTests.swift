import Testing

@testable import Authenticator
import AuthenticatorTypes

@Suite struct ShareLimitTests {
  private func limit(local: LockPolicy = .localDefault, strangers: LockPolicy = .remoteDefault) -> UInt32 {
    LockPolicy.shareLimit(local: local, remote: strangers, otherUser: strangers)
  }

  @Test func `the limit of a chip's share is the number of attempts that the ledger can ever allow`() {
    #expect(limit() == 10 + 5 * 200 + 5 * 200)
  }

  @Test(arguments: [0, 2])
  func `the limit of a share counts a permanent remote lock, which changes nothing for attempts of other users`(
    count: Int
  ) {
    var remote = LockPolicy.remoteDefault
    remote.maxLockCount = count
    let limit = LockPolicy.shareLimit(local: .localDefault, remote: remote, otherUser: .remoteDefault)
    #expect(Int(limit) == 10 + 5 * (count + 1) + 5 * 200)
  }

  @Test func `a share has no limit if local locks are never permanent`() {
    var local = LockPolicy.localDefault
    local.maxLockCount = nil
    #expect(limit(local: local) == .max)
  }

  @Test(arguments: [30, 300, 86_400])
  func `half a year of continuous remote attempts and attempts of other users does not reach the limit of a share`(
    first: Int
  ) {
    var strangers = LockPolicy.remoteDefault
    strangers.lockTime = .seconds(first)
    let limit = limit(strangers: strangers)
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
