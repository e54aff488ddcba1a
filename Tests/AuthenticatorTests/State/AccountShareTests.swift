import Glibc
import SecretMemory
import Testing
import UAFCrypto

@testable import Authenticator
import AuthenticatorTypes

/// Accounts whose keys need a share that a keeper releases.
@Suite struct AccountShareTests {
  private let folder = StateFolder()
  private let keeper = RecordedKeeper()
  private let identity = AccountIdentity(uid: 4242, name: Array("mina".utf8), serverUserName: "mina@example.com")
  private let cost = Scrypt.Parameters(logN: 5, r: 8, p: 1)
  private let policy = LockPolicy(retryCountToLock: 3, lockTime: .seconds(60), maxLockCount: 1)
  private let now = BootTime(bootID: [1], nanoseconds: 0, wallSeconds: 0)

  private func secret(_ text: String) throws -> Secret { try Secret(copying: Array(text.utf8).span) }

  private func opened() throws -> StateDirectory {
    _ = try folder.initialised()
    return try StateDirectory(folder.state, owner: getuid(), shares: keeper)
  }

  private func register(in directory: borrowing StateDirectory) throws {
    let slot = try #require(try DerivationSlotBox(directory))
    let unlocked = try AccountFile.enrol(
      secret("correct"), for: .passcode, identity: identity, cost: cost, in: directory, holding: slot.slot)
    let key = try unlocked.makeKey(appID: "https://example.com/facets")
    try AccountFile.create(in: directory, identity: identity, storing: [unlocked.registration(of: key)])
  }

  private func file(in directory: borrowing StateDirectory) throws -> AccountFile {
    try #require(
      try AccountFile.open(in: directory, uid: 4242, name: identity.name, serverUserName: { "\($0)@example.com" }))
  }

  private func verify(_ text: String, in directory: borrowing StateDirectory) throws -> Verification {
    let slot = try #require(try DerivationSlotBox(directory, by: 1001))
    return try file(in: directory).verify(
      secret(text), for: .passcode, from: .local, at: now, policy: policy, in: directory, holding: slot.slot)
  }

  private func isVerified(_ text: String, in directory: borrowing StateDirectory) throws -> Bool {
    if case .verified = try verify(text, in: directory) { return true }
    return false
  }

  private func isWithoutShare(in directory: borrowing StateDirectory) throws -> Bool {
    do {
      _ = try isVerified("correct", in: directory)
      return false
    } catch { return error as? StateError == .share }
  }

  private func change(to text: String, in directory: borrowing StateDirectory) throws {
    guard case .verified(let unlocked) = try verify("correct", in: directory) else {
      Issue.record("not verified")
      return
    }
    let slot = try #require(try DerivationSlotBox(directory))
    try file(in: directory).change(unlocked, to: secret(text), cost: cost, in: directory, holding: slot.slot)
  }

  @Test func `with a share an account opens only with its secret, at the lower cost that the share allows`() throws {
    let directory = try opened()
    try register(in: directory)
    #expect(try isVerified("correct", in: directory))
    #expect(try !isVerified("Correct", in: directory))
    let enrolled = try #require(try file(in: directory).authenticator(.passcode))
    #expect(enrolled.hasShare && enrolled.cost.logN == 4)
    #expect(try EnrolledAuthenticator(record: enrolled.record) == enrolled)
    #expect(throws: StateError.damaged) { try EnrolledAuthenticator(record: Array(enrolled.record.dropLast())) }
  }

  @Test
  func `opens no key without the keeper or while the keeper does not answer, and the attempt stays counted`() throws {
    let directory = try opened()
    try register(in: directory)
    keeper.isAway = true
    #expect(try isWithoutShare(in: directory))
    #expect(try isWithoutShare(in: try StateDirectory(folder.state, owner: getuid())))
    #expect(try file(in: directory).ledger(.passcode)[.local].charges.count == 2)
  }

  @Test
  func `if the keeper is exhausted and does not check a secret, the attempt stays counted and no key opens`() throws {
    let directory = try opened()
    try register(in: directory)
    keeper.isExhausted = true
    guard case .exhausted = try verify("correct", in: directory) else {
      Issue.record("looked at")
      return
    }
    #expect(try file(in: directory).ledger(.passcode)[.local].charges.count == 1)
    keeper.isExhausted = false
    let account = try file(in: directory)
    try account.unlock()
    for type in AuthenticatorType.allCases { try AccountShares.clear(type, of: account, in: directory) }
    #expect(keeper.events == ["make 1", "clear 1"])
    #expect(try isVerified("correct", in: directory))
  }

  @Test func `a change makes the new share before it removes the old share`() throws {
    let directory = try opened()
    try register(in: directory)
    try change(to: "another", in: directory)
    #expect(keeper.events == ["make 1", "make 2", "remove 1"])
    #expect(try isVerified("another", in: directory))
  }

  @Test func `a change that cannot make a share leaves the old secret in use`() throws {
    let directory = try opened()
    try register(in: directory)
    guard case .verified(let unlocked) = try verify("correct", in: directory) else { return }
    keeper.isAway = true
    let slot = try #require(try DerivationSlotBox(directory))
    let account = try file(in: directory)
    var failure: StateError?
    let other = try secret("another")
    do throws(StateError) {
      try account.change(unlocked, to: other, cost: cost, in: directory, holding: slot.slot)
    } catch { failure = error }
    #expect(failure == .share)
    keeper.isAway = false
    #expect(try isVerified("correct", in: directory))
    #expect(keeper.events == ["make 1"])
  }

  @Test func `a change that loses a race against a faster change leaves no share behind`() throws {
    let directory = try opened()
    try register(in: directory)
    guard case .verified(let unlocked) = try verify("correct", in: directory) else { return }
    try change(to: "another", in: directory)
    let slot = try #require(try DerivationSlotBox(directory))
    let account = try file(in: directory)
    var failure: StateError?
    let late = try secret("late")
    do throws(StateError) {
      try account.change(unlocked, to: late, cost: cost, in: directory, holding: slot.slot)
    } catch { failure = error }
    #expect(failure == .superseded)
    #expect(keeper.events == ["make 1", "make 2", "remove 1", "make 3", "remove 3"])
    #expect(try isVerified("another", in: directory))
  }

  @Test func `leftover shares are removed only while no share waits for its record`() throws {
    let directory = try opened()
    try register(in: directory)
    keeper.events = []
    do {
      let slot = try #require(try DerivationSlotBox(directory))
      let waiting = try AccountFile.enrol(
        secret("another"), for: .pattern, identity: identity, cost: cost, in: directory, holding: slot.slot)
      #expect(throws: StateError.superseded) { try AccountShares.removeLeftovers(of: 4242, in: directory) }
      try AccountShares.removeLeftovers(of: 4243, in: directory)
      let isNew = waiting.isNew
      #expect(isNew)
    }
    #expect(keeper.events == ["make 2", "remove all but 0", "remove all but 0"])
    try AccountShares.removeLeftovers(of: 4242, in: directory)
    #expect(keeper.events.suffix(2) == ["remove all but 1", "remove all but 0"])
  }

  @Test func `leftover shares are not removed while a change makes a share`() throws {
    let directory = try opened()
    try register(in: directory)
    keeper.whileMaking = { [folder, unowned keeper] in
      let other = try StateDirectory(folder.state, owner: getuid(), shares: keeper)
      #expect(throws: StateError.superseded) { try AccountShares.removeLeftovers(of: 4242, in: other) }
    }
    try change(to: "another", in: directory)
    #expect(keeper.events == ["make 1", "make 2", "remove 1"])
  }

  @Test
  func `if the keeper has no room, the secret gets no share, and its derivation costs what one without a share costs`()
    throws
  {
    let directory = try opened()
    keeper.hasRoom = false
    try register(in: directory)
    let enrolled = try #require(try file(in: directory).authenticator(.passcode))
    #expect(!enrolled.hasShare && enrolled.cost == cost && enrolled.record.first == 1)
    #expect(try isVerified("correct", in: directory))
    #expect(keeper.events == ["in vain"])
  }

  @Test func `refuses to set a secret if root demands a share and nothing makes shares`() throws {
    let directory = try opened()
    keeper.cost = nil
    keeper.demandsShare = true
    #expect(throws: StateError.share) { try register(in: directory) }
    keeper.demandsShare = false
    try register(in: directory)
    #expect(try isVerified("correct", in: directory))
  }

  @Test
  func `a reset removes the share too, and the account is then no longer listed as one that needs a share`() throws {
    let directory = try opened()
    try register(in: directory)
    #expect(try AccountShares.accounts(in: directory) == [4242])
    try file(in: directory).reset(.passcode)
    #expect(keeper.events == ["make 1", "remove 1"])
    #expect(try AccountShares.accounts(in: directory).isEmpty)
  }

  @Test
  func `does not list the accounts that need a share while an account cannot be read, but skips a damaged account`()
    throws
  {
    let directory = try opened()
    try register(in: directory)
    let path = folder.file(4242)
    try #require(unsafe chmod(path, 0o666) == 0)
    #expect(throws: StateError.self) { try AccountShares.accounts(in: directory) }
    try #require(unsafe chmod(path, 0o600) == 0)
    #expect(try AccountShares.accounts(in: directory) == [4242])
    StateFolder.write(path, [UInt8](repeating: 1, count: 8192))
    #expect(try AccountShares.accounts(in: directory).isEmpty)
  }
}
