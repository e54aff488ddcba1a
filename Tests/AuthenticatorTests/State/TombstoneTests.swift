import AuthenticatorTypes
import Glibc
import SecretMemory
import Testing
import UAFCrypto

@testable import Authenticator

/// What remains of an account after its last key was removed.
struct TombstoneTests {
  private let folder = StateFolder()
  private let identity = AccountIdentity(uid: 4242, name: Array("mina".utf8), serverUserName: "mina@example.com")
  private let machine = MachineRecord(machineID: [1], secret: [2], place: [3])
  private let standing = StandingRecord(
    .disabled, asked: BootTime(bootID: [1], nanoseconds: 1, wallSeconds: 1), terms: [4])

  private func register(_ identity: AccountIdentity, in directory: borrowing StateDirectory) throws -> AccountFile {
    let slot = try #require(try DerivationSlotBox(directory))
    let unlocked = try AccountFile.enrol(
      Secret(copying: Array("correct".utf8).span), for: .passcode, identity: identity,
      cost: Scrypt.Parameters(logN: 4, r: 8, p: 1), in: directory, holding: slot.slot)
    let key = try unlocked.makeKey(appID: "https://example.com/facets")
    return try AccountFile.create(in: directory, identity: identity, storing: [unlocked.registration(of: key)])
  }

  private func open(
    _ name: [UInt8]? = nil, forState: Bool, in directory: borrowing StateDirectory
  ) throws(StateError) -> AccountFile? {
    try AccountFile.open(
      in: directory, uid: 4242, name: name ?? identity.name, serverUserName: { "\($0)@example.com" },
      isForState: forState)
  }

  /// An account without keys, for which the machine secret and the server's last statement are stored.
  private func buried(in directory: borrowing StateDirectory) throws {
    let file = try register(identity, in: directory)
    try machine.store(in: file)
    try standing.store(in: file)
    try file.reset(.passcode)
  }

  @Test func `a tombstone keeps the account's identity, the machine secret and the server's last statement`() throws {
    let directory = try folder.initialised()
    try buried(in: directory)
    #expect(try open(forState: false, in: directory) == nil)
    let file = try #require(try open(forState: true, in: directory))
    #expect(file.identity == identity)
    #expect(try MachineRecord.of(file) == machine && StandingRecord.of(file) == standing)
    #expect(try file.keys().isEmpty && file.authenticator(.passcode) == nil)
  }

  @Test func `a tombstone accepts later statements of the server, and no other record`() throws {
    let directory = try folder.initialised()
    try buried(in: directory)
    let file = try #require(try open(forState: true, in: directory))
    let later = BootTime(bootID: [1], nanoseconds: 2, wallSeconds: 2)
    try StandingRecord(.active, asked: later, terms: [4]).store(in: file)
    #expect(try StandingRecord.of(file)?.standing == .active)
    #expect(throws: StateError.absent) { try MachineRecord(machineID: [9], secret: [9], place: [9]).store(in: file) }
    #expect(throws: StateError.absent) { try file.noteRefusal(at: later, always: true) }
    #expect(throws: StateError.absent) { try file.noteUse(of: .passcode) }
  }

  @Test func `an account that registers again keeps what the server last said of it`() throws {
    let directory = try folder.initialised()
    try buried(in: directory)
    let file = try register(identity, in: directory)
    #expect(try MachineRecord.of(file) == machine && StandingRecord.of(file) == standing)
  }

  @Test
  func `a different account with the same uid inherits nothing, and an open file of the former one refuses writes`()
    throws
  {
    let directory = try folder.initialised()
    try buried(in: directory)
    let former = try #require(try open(forState: true, in: directory))
    #expect(throws: StateError.identityMismatch) {
      try open(Array("bob".utf8), forState: true, in: folder.initialised())
    }
    let other = AccountIdentity(uid: 4242, name: Array("bob".utf8), serverUserName: "bob@example.com")
    let file = try register(other, in: directory)
    #expect(try MachineRecord.of(file) == nil && StandingRecord.of(file) == nil)
    #expect(throws: StateError.absent) { try standing.store(in: former) }
  }

  @Test func `reads the tombstone of an earlier version, which keeps no records`() throws {
    #expect(try Tombstone(record: [1, 1]) == .registered && Tombstone.registered.record == [1, 1])
    #expect(try Tombstone(record: [1, 2]) == .buried(nil) && Tombstone.buried(nil).record == [1, 2])
    let directory = try folder.initialised()
    try buried(in: directory)
    let file = try #require(try open(forState: true, in: directory))
    try file.records.write { () throws(StateError) in try file.records.put(.tombstone, body: [1, 2], of: nil) }
    #expect(try open(forState: true, in: directory) == nil)
    // The old records have MACs for an account whose name this tombstone does not know.
    #expect(try MachineRecord.of(register(identity, in: directory)) == nil)
  }

  @Test(arguments: [[], [0], [1], [1, 0], [1, 3], [1, 1, 1], [2], [2, 0, 0], [3, 1]] as [[UInt8]])
  func `refuses a tombstone in an unknown format`(_ record: [UInt8]) {
    #expect(throws: StateError.damaged) { try Tombstone(record: record) }
  }

  @Test func `reports a file with neither an identity nor a tombstone as damaged`() throws {
    let directory = try folder.initialised()
    try buried(in: directory)
    let file = try #require(try open(forState: true, in: directory))
    try file.records.write { () throws(StateError) in try file.records.remove(.tombstone) }
    for forState in [false, true] {
      #expect(throws: StateError.damaged) { try open(forState: forState, in: folder.initialised()) }
    }
  }
}
