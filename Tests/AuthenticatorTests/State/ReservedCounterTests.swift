import SecretMemory
import Testing
import UAFCrypto

@testable import Authenticator
import AuthenticatorTypes

@Suite struct ReservedCounterTests {
  private let folder = StateFolder()
  private let identity = AccountIdentity(uid: 4242, name: Array("mina".utf8), serverUserName: "mina")
  private let cost = Scrypt.Parameters(logN: 4, r: 8, p: 1)
  private let now = BootTime(bootID: [1], nanoseconds: 0, wallSeconds: 0)

  /// An account with this many keys of one authenticator.
  private func register(_ count: Int, in directory: borrowing StateDirectory) throws -> [RegisteredKey] {
    let slot = try #require(try DerivationSlotBox(directory))
    let unlocked = try AccountFile.enrol(
      Secret(copying: Array("correct".utf8).span), for: .passcode, identity: identity, cost: cost, in: directory,
      holding: slot.slot)
    let keys = try (0..<count).map { try unlocked.makeKey(appID: "https://example.com/\($0)") }
    try AccountFile.create(in: directory, identity: identity, storing: [unlocked.registration(of: keys[0])])
    let file = try open(in: directory)
    for key in keys.dropFirst() {
      let again = try enter(file, in: directory, holding: slot)
      try file.store([again.registration(of: key)])
    }
    return keys
  }

  private func open(in directory: borrowing StateDirectory) throws -> AccountFile {
    try #require(try AccountFile.open(in: directory, uid: 4242, name: nil) { _ in nil })
  }

  private func enter(
    _ file: AccountFile, in directory: borrowing StateDirectory, holding slot: DerivationSlotBox
  ) throws -> UnlockedAuthenticator {
    let policy = LockPolicy(retryCountToLock: 3, lockTime: .seconds(60), maxLockCount: 1)
    let value = try Secret(copying: Array("correct".utf8).span)
    guard
      case .verified(let unlocked) = try file.verify(
        value, for: .passcode, from: .local, at: now, policy: policy, in: directory, holding: slot.slot)
    else { throw StateError.damaged }
    return unlocked
  }

  private func stored(_ file: AccountFile) throws -> [UInt32] { try file.keys().map(\.signCounter).sorted() }

  @Test func `the signature counter is on disk when the attempt ends, and serves one signature`() throws {
    let directory = try folder.initialised()
    let key = try register(1, in: directory)[0]
    let file = try open(in: directory)
    _ = try enter(file, in: directory, holding: #require(try DerivationSlotBox(directory)))
    #expect(try stored(file) == [1])
    #expect(try file.nextSignCounter(key.keyID) == 1)
    #expect(try stored(file) == [1], "the first signature writes nothing more")
    #expect(try file.nextSignCounter(key.keyID) == 2)
    #expect(try stored(file) == [2])
  }

  @Test func `a signature counter that a second login has passed is not used`() throws {
    let directory = try folder.initialised()
    let key = try register(1, in: directory)[0]
    let (file, other) = (try open(in: directory), try open(in: directory))
    _ = try enter(file, in: directory, holding: #require(try DerivationSlotBox(directory)))
    #expect(try other.nextSignCounter(key.keyID) == 2)
    #expect(try file.nextSignCounter(key.keyID) == 3)
  }

  @Test func `if there are several keys, no counter rises before one of the keys signs`() throws {
    let directory = try folder.initialised()
    let keys = try register(2, in: directory)
    let file = try open(in: directory)
    let before = try stored(file)
    _ = try enter(file, in: directory, holding: #require(try DerivationSlotBox(directory)))
    #expect(try stored(file) == before)
    #expect(try file.nextSignCounter(keys[1].keyID) == 1)
  }

  @Test func `a key that was removed after the entry gets no signature counter`() throws {
    let directory = try folder.initialised()
    let key = try register(1, in: directory)[0]
    let file = try open(in: directory)
    _ = try enter(file, in: directory, holding: #require(try DerivationSlotBox(directory)))
    try open(in: directory).reset(.passcode)
    #expect(throws: StateError.absent) { try file.nextSignCounter(key.keyID) }
  }
}
