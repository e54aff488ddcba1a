import Glibc
import SecretMemory
import Testing
import UAFCrypto

@testable import Authenticator
import AuthenticatorTypes

/// Accounts whose shares the keeper has lost, and which continue with the copies that only the recovery key opens.
@Suite struct ShareRecoveryTests {
  private let folder = StateFolder()
  private let keeper = RecordedKeeper()
  private let identity = AccountIdentity(uid: 4242, name: Array("mina".utf8), serverUserName: "mina@example.com")
  private let cost = Scrypt.Parameters(logN: 5, r: 8, p: 1)
  private let policy = LockPolicy(retryCountToLock: 3, lockTime: .seconds(60), maxLockCount: 1)
  private let now = BootTime(bootID: [1], nanoseconds: 0, wallSeconds: 0)
  private let words: String

  init() throws {
    words = try RecoveryKey.make().withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
    _ = try folder.initialised()
    try keep(words)
  }

  private func secret(_ text: String) throws -> Secret { try Secret(copying: Array(text.utf8).span) }

  private func opened() throws -> StateDirectory {
    try StateDirectory(folder.state, owner: getuid(), shares: keeper)
  }

  /// Stores the file that these words open, for the folder's own device key or for a different one.
  private func keep(_ words: String, of key: [UInt8]? = nil) throws {
    let directory = try opened()
    let words = try secret(words)
    if let key {
      write(try #require(try RecoveryKey.seal(try Secret(copying: key.span), under: words)))
    } else {
      write(try #require(try RecoveryKey.seal(directory.deviceSecret, under: words)))
    }
  }

  private func write(_ bytes: [UInt8]) {
    _ = unsafe unlink(folder.state + "/device.recovery")
    StateFolder.write(folder.state + "/device.recovery", bytes)
  }

  private func register(_ type: AuthenticatorType = .passcode, as other: AccountIdentity? = nil) throws {
    let identity = other ?? identity
    let directory = try opened()
    let slot = try #require(try DerivationSlotBox(directory))
    let unlocked = try AccountFile.enrol(
      secret("correct"), for: type, identity: identity, cost: cost, in: directory, holding: slot.slot)
    let key = try unlocked.makeKey(appID: "https://example.com/facets")
    if try AccountFile.exists(in: directory, uid: identity.uid) {
      try file(identity.uid).store([unlocked.registration(of: key)])
    } else {
      try AccountFile.create(in: directory, identity: identity, storing: [unlocked.registration(of: key)])
    }
  }

  private func file(_ uid: UInt32 = 4242) throws -> AccountFile {
    try #require(try AccountFile.open(in: try opened(), uid: uid, name: nil, serverUserName: { _ in nil }))
  }

  private func enrolled(_ type: AuthenticatorType = .passcode, of uid: UInt32 = 4242) throws -> EnrolledAuthenticator {
    try #require(try file(uid).authenticator(type))
  }

  private func verify(_ text: String) throws -> Verification {
    let directory = try opened()
    let slot = try #require(try DerivationSlotBox(directory, by: 1001))
    return try file().verify(
      secret(text), for: .passcode, from: .local, at: now, policy: policy, in: directory, holding: slot.slot)
  }

  private func isVerified(_ text: String) throws -> Bool {
    if case .verified = try verify(text) { return true }
    return false
  }

  private func isLocked() throws -> Bool {
    if case .locked = try verify("correct") { return true }
    return false
  }

  private func recover(_ words: String? = nil) throws -> RecoveredShares {
    let recovery = try ShareRecovery(try secret(words ?? self.words))
    switch recovery {
    case .some(let recovery): return try recovery.release(in: try opened())
    case nil:
      Issue.record("no words")
      return RecoveredShares()
    }
  }

  private func otherWords() throws -> String {
    try RecoveryKey.make().withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
  }

  private func pair() throws -> P256.KeyPair {
    switch try RecoveryKey.keyPair(of: try secret(words)) {
    case .some(let pair): return pair
    case nil: throw StateError.absent
    }
  }

  @Test func `after recovery from a lost share the secret still works, and only the ledger counts attempts`() throws {
    try register()
    #expect(try enrolled().record.first == 3)
    keeper.lost = [1]
    #expect(try recover() == RecoveredShares(released: [4242]))
    keeper.events = []
    let released = try enrolled()
    #expect(!released.hasShare && released.record.first == 4 && released.copy == nil)
    #expect(try EnrolledAuthenticator(record: released.record) == released)
    #expect(try AccountShares.accounts(in: try opened()).isEmpty)
    keeper.isAway = true
    #expect(try isVerified("correct"))
    for _ in 0..<3 { #expect(try !isVerified("wrong")) }
    #expect(try isLocked())
    #expect(keeper.events == ["in vain", "in vain", "in vain", "in vain"])
  }

  @Test
  func `after a recovery, a change makes a new share and copy, and does not ask the keeper to remove the lost share`()
    throws
  {
    try register()
    keeper.lost = [1]
    _ = try recover()
    keeper.events = []
    guard case .verified(let unlocked) = try verify("correct") else {
      Issue.record("not verified")
      return
    }
    let directory = try opened()
    let slot = try #require(try DerivationSlotBox(directory))
    try file().change(unlocked, to: secret("another"), cost: cost, in: directory, holding: slot.slot)
    #expect(keeper.events == ["in vain", "make 2"])
    #expect(try enrolled().hasShare && enrolled().record.first == 3)
    #expect(try isVerified("another"))
    keeper.lost = [1, 2]
    #expect(try recover() == RecoveredShares(released: [4242]))
    try file().reset(.passcode)
    #expect(!keeper.events.contains { $0.hasPrefix("remove") })
  }

  @Test
  func `recovery leaves a share that the keeper still holds in use, and a second recovery changes nothing more`() throws
  {
    try register()
    let before = try enrolled()
    #expect(try recover() == RecoveredShares(kept: [4242]))
    #expect(try enrolled() == before)
    keeper.lost = [1]
    for _ in 0..<2 { #expect(try recover() == RecoveredShares(released: [4242])) }
    #expect(try isVerified("correct"))
  }

  @Test func `recovery releases no share while the keeper does not say whether it still holds it`() throws {
    try register()
    keeper.isAway = true
    #expect(throws: StateError.share) { try recover() }
    #expect(try enrolled().hasShare)
  }

  @Test
  func `recovery names accounts without a copy, with a copy for different words, and with one of two shares lost`()
    throws
  {
    _ = unsafe unlink(folder.state + "/device.recovery")
    try register()
    #expect(try enrolled().record.first == 2)
    try keep(words)
    try register(.pattern)
    try register(as: AccountIdentity(uid: 5000, name: Array("jun".utf8), serverUserName: "jun@example.com"))
    keeper.lost = [1, 2, 3]
    #expect(try recover(try otherWords()) == RecoveredShares(lost: [4242, 5000]))
    #expect(try recover() == RecoveredShares(released: [5000], lost: [4242]))
    #expect(try enrolled().hasShare)
    #expect(try !enrolled(.pattern).hasShare)
  }

  @Test func `the copy of a share for a different account, authenticator type or share opens nothing`() throws {
    try register()
    let own = try enrolled()
    let pair = try pair()
    let copy = try #require(own.copy)
    let kept = try #require(own.share)
    func opens(_ identity: AccountIdentity, _ type: AuthenticatorType, _ kept: [UInt8]) throws -> Bool {
      switch try ShareSeal(identity: identity, type: type, kept: kept).open(copy: copy, with: pair) {
      case .some: true
      case nil: false
      }
    }
    #expect(try opens(identity, .passcode, kept))
    let other = AccountIdentity(uid: 4243, name: identity.name, serverUserName: identity.serverUserName)
    #expect(try !opens(other, .passcode, kept))
    #expect(try !opens(identity, .pattern, kept))
    #expect(try !opens(identity, .passcode, kept + [1]))
  }

  @Test func `refuses the copy of a share with any bit changed, or cut anywhere`() throws {
    try register()
    let own = try enrolled()
    let pair = try pair()
    let copy = try #require(own.copy)
    let seal = ShareSeal(identity: identity, type: .passcode, kept: try #require(own.share))
    for bit in 0..<(8 * copy.count) {
      var changed = copy
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(try seal.open(copy: changed, with: pair)?.count == nil, "bit \(bit)")
    }
    for length in 0..<copy.count {
      #expect(try seal.open(copy: Array(copy.prefix(length)), with: pair)?.count == nil, "\(length) bytes")
    }
    #expect(try seal.open(copy: copy + [0], with: pair)?.count == nil)
  }

  @Test func `a released share opens only for its own account, type and device key, and only unchanged`() throws {
    let deviceKey = try Secret(copying: [UInt8](repeating: 1, count: 32).span)
    let seal = ShareSeal(identity: identity, type: .passcode, kept: [1])
    let released = try seal.release(try Secret(copying: [UInt8](repeating: 7, count: 32).span), under: deviceKey)
    #expect(try seal.open(released: released, under: deviceKey).count == 32)
    let other = AccountIdentity(uid: 4243, name: identity.name, serverUserName: identity.serverUserName)
    for wrong in [
      ShareSeal(identity: other, type: .passcode, kept: [1]), ShareSeal(identity: identity, type: .pattern, kept: [1]),
      ShareSeal(identity: identity, type: .passcode, kept: [2]),
    ] {
      #expect(throws: StateError.damaged) { _ = try wrong.open(released: released, under: deviceKey).count }
    }
    let otherKey = try Secret(copying: [UInt8](repeating: 2, count: 32).span)
    #expect(throws: StateError.damaged) { _ = try seal.open(released: released, under: otherKey).count }
    for index in released.indices {
      var changed = released
      changed[index] ^= 0x80
      #expect(throws: StateError.damaged) { _ = try seal.open(released: changed, under: deviceKey).count }
      #expect(throws: StateError.damaged) {
        _ = try seal.open(released: Array(released.prefix(index)), under: deviceKey).count
      }
    }
  }

  @Test
  func `makes no copy of a share for a public key that somebody without the device key has put in place`() throws {
    try keep(try otherWords(), of: [UInt8](repeating: 9, count: 32))
    try register()
    #expect(try enrolled().copy == nil)
    #expect(try enrolled().hasShare)
    #expect(keeper.events == ["make 1", "no copy"])
    #expect(try isVerified("correct"))
  }

  @Test
  func `if others can write the recovery file or it is damaged, a registration succeeds without a copy of its share`()
    throws
  {
    write([2, 4, 4])
    try register()
    #expect(try enrolled().copy == nil)
    try keep(words)
    try #require(unsafe chmod(folder.state + "/device.recovery", 0o666) == 0)
    try register(.pattern)
    #expect(try enrolled(.pattern).copy == nil)
    #expect(keeper.events == ["make 1", "no copy", "make 2", "no copy"])
  }

  @Test
  func `a recovery file of version 1 still gives the device key, but no copies of shares are made for it`() throws {
    let directory = try opened()
    // The content that version 1 stored.
    let random = try secret(words)
    let key = try #require(try RecoveryKeyTests.firstVersion(of: directory.deviceSecret, under: random))
    write(key)
    #expect(try RecoveryKey.open(key, with: random)?.isEqual(to: directory.deviceSecret) == true)
    try register()
    #expect(try enrolled().record.first == 2)
    #expect(keeper.events == ["make 1"])
  }

  @Test func `no part of the records lets the device key alone open a share`() throws {
    try register()
    let own = try enrolled()
    let copy = try #require(own.copy)
    let seal = ShareSeal(identity: identity, type: .passcode, kept: try #require(own.share))
    let directory = try opened()
    #expect(throws: StateError.damaged) { _ = try seal.open(released: copy, under: directory.deviceSecret).count }
    #expect(throws: StateError.damaged) {
      _ = try seal.open(released: Array(copy.suffix(60)), under: directory.deviceSecret).count
    }
    // Tries a key pair that is derived from the device key instead of the recovery words.
    let bits = try HKDFSHA256.derive(
      secret: directory.deviceSecret, salt: Secret(capacity: 0), info: Array("pam-uaf recovery key pair".utf8),
      length: P256Agreement.extraRandomByteCount)
    let pair = try P256.KeyPair(privateKey: try P256Agreement.privateKey(of: bits))
    #expect(try seal.open(copy: copy, with: pair)?.count == nil)
  }

  @Test func `a registration that began before a lost share was released does not bring that share back`() throws {
    try register()
    guard case .verified(let unlocked) = try verify("correct") else {
      Issue.record("not verified")
      return
    }
    let key = try unlocked.makeKey(appID: "https://other.example/facets")
    keeper.lost = [1]
    #expect(try recover() == RecoveredShares(released: [4242]))
    try file().store([unlocked.registration(of: key)])
    #expect(try !enrolled().hasShare)
    #expect(try isVerified("correct"))
  }

  @Test func `if one account cannot be read, releases the shares of the others and reports the failure`() throws {
    try register()
    try register(as: AccountIdentity(uid: 5000, name: Array("jun".utf8), serverUserName: "jun@example.com"))
    keeper.lost = [1, 2]
    try #require(unsafe chmod(folder.file(4242), 0o666) == 0)
    #expect(throws: StateError.self) { try recover() }
    #expect(try !enrolled(of: 5000).hasShare)
    try #require(unsafe chmod(folder.file(4242), 0o600) == 0)
    #expect(try recover() == RecoveredShares(released: [4242, 5000]))
  }
}
