import Glibc
import SecretMemory
import Testing
import UAFCrypto

@testable import Authenticator
import AuthenticatorTypes

/// Random histories of a lock, compared with the model step by step.
@Suite struct LockModelTests {
  @Test
  func `ten thousand random sequences have the same outcome in the ledger and in the model, at each step`() throws {
    var (counted, locked, forGood, stricter, late, refused, rebooted) = (0, 0, 0, 0, 0, 0, 0)
    var (tenTries, tenLocks, longest) = (0, 0, 0)
    for seed in 0..<10_000 {
      // One sequence in twenty goes on until many tries and locks are used up.
      let isLong = seed % 20 == 0
      let steps = isLong ? 400 : 40
      var story = LockStory(AttemptLedger(), seed: UInt64(seed), isStubborn: isLong, isTold: false)
      if try story.run(steps) != nil {
        var again = LockStory(AttemptLedger(), seed: UInt64(seed), isStubborn: isLong)
        Issue.record("sequence \(seed): \(try again.run(steps) ?? "")")
        return
      }
      counted += story.tally.counted
      locked += story.tally.locked
      forGood += story.tally.lockedForGood
      stricter += story.tally.keptStricter
      late += story.tally.lateRight
      refused += story.tally.refusedRight
      rebooted += story.tally.afterReboot
      tenTries += story.tally.afterTenTries
      tenLocks += story.tally.forGoodAfterTenLocks
      longest = max(longest, story.tally.longestLock)
    }
    // If the sequences never locked anything, ledger and model would agree without any proof.
    #expect(counted > 50_000 && locked > 10_000 && forGood > 10_000 && stricter > 10_000)
    #expect(late > 5000 && refused > 1000 && rebooted > 1000)
    // The sequences also reach the highest limits that root can configure.
    #expect(tenTries > 100 && tenLocks > 5 && longest == 86_400)
  }

  @Test func `the comparison with the model detects a ledger with one changed rule`() throws {
    /// A ledger that forgives too much: a right entry also clears the entries after it.
    struct Forgiving: LockSubject {
      var ledger = AttemptLedger()
      mutating func charge(_ origin: AttemptOrigin, at now: BootTime, policy: LockPolicy) -> ChargeOutcome {
        ledger.charge(origin, at: now, policy: policy)
      }
      mutating func settle(_ ticket: UInt64) { ledger.settle(ledger.lastTicket) }
      mutating func unlock() { ledger.unlock() }
      mutating func look(at now: BootTime) -> AttemptLedger { ledger.look(at: now) }
      func peek() -> AttemptLedger { ledger }
    }
    let differences = try (0..<200).compactMap { seed in
      var story = LockStory(Forgiving(), seed: UInt64(seed))
      return try story.run(40)
    }
    #expect(differences.count > 20)
  }

  @Test func `random sequences have the same outcome in the account's file and in the model`() throws {
    let folder = StateFolder()
    let directory = try folder.initialised()
    let identity = AccountIdentity(uid: 4242, name: Array("mina".utf8), serverUserName: "mina")
    let slot = try #require(try LockModelSlot(directory))
    let unlocked = try AccountFile.enrol(
      Secret(copying: Array("correct".utf8).span), for: .passcode, identity: identity,
      cost: Scrypt.Parameters(logN: 4, r: 8, p: 1), in: directory, holding: slot.slot)
    let file = try AccountFile.create(
      in: directory, identity: identity,
      storing: [unlocked.registration(of: try unlocked.makeKey(appID: "https://example.com/facets"))])
    for seed in 0..<20 {
      try file.unlock()
      var story = LockStory(FileSubject(file: file), seed: UInt64(seed))
      if let difference = try story.run(40) { Issue.record("sequence \(seed): \(difference)") }
    }
  }
}

private struct FileSubject: LockSubject {
  let file: AccountFile

  func charge(_ origin: AttemptOrigin, at now: BootTime, policy: LockPolicy) throws -> ChargeOutcome {
    try file.charge(.passcode, origin, at: now, policy: policy)
  }
  func settle(_ ticket: UInt64) throws {
    try file.settle(.passcode, ticket: ticket, of: #require(try file.authenticator(.passcode)))
  }
  func unlock() throws { try file.unlock() }
  func look(at now: BootTime) throws -> AttemptLedger { try file.ledger(.passcode, at: now) }
  func peek() throws -> AttemptLedger { try file.ledger(.passcode) }
}

/// A slot in a box, because a non-copyable value cannot be required.
private final class LockModelSlot {
  let slot: DerivationSlot

  init?(_ directory: borrowing StateDirectory) throws {
    guard let slot = try DerivationSlot.take(in: directory, count: 4, for: .localHost) else { return nil }
    self.slot = slot
  }
}
