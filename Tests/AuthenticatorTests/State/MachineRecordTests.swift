import AuthenticatorTypes
import Glibc
import SecretMemory
import Testing
import UAFCrypto

@testable import Authenticator

/// The secret by which a server recognises this machine, stored in the account's file.
@Suite struct MachineRecordTests {
  private let folder = StateFolder()
  private let record = MachineRecord(
    machineID: Array(repeating: 1, count: 16), secret: Array(repeating: 2, count: 32),
    place: Array(repeating: 3, count: 32))

  private func register(in directory: borrowing StateDirectory) throws -> AccountFile {
    let identity = AccountIdentity(uid: 4242, name: Array("mina".utf8), serverUserName: "mina")
    let slot = try #require(try DerivationSlotBox(directory))
    let unlocked = try AccountFile.enrol(
      Secret(copying: Array("correct".utf8).span), for: .passcode, identity: identity,
      cost: Scrypt.Parameters(logN: 4, r: 8, p: 1), in: directory, holding: slot.slot)
    let key = try unlocked.makeKey(appID: "https://example.com/facets")
    return try AccountFile.create(in: directory, identity: identity, storing: [unlocked.registration(of: key)])
  }

  @Test func `the machine secret is stored once, and the next one replaces it`() throws {
    let file = try register(in: folder.initialised())
    #expect(try MachineRecord.of(file) == nil)
    try record.store(in: file)
    #expect(try MachineRecord.of(file) == record)
    let other = MachineRecord(machineID: record.machineID, secret: record.place, place: record.place)
    try other.store(in: file)
    #expect(try MachineRecord.of(file) == other)
  }

  @Test func `an edited record of the machine secret is refused, and the next record replaces it`() throws {
    let file = try register(in: folder.initialised())
    try record.store(in: file)
    let marked = try #require(try file.records.body(.machine, of: file.identity))
    try file.records.write { () throws(StateError) in
      // The edited record has a MAC for no account.
      try file.records.put(.machine, body: marked, of: nil)
    }
    #expect(throws: StateError.damaged) { try MachineRecord.of(file) }
    try record.store(in: file)
    #expect(try MachineRecord.of(file) == record)
  }

  @Test
  func `the account stage keeps the machine secret after the last key, until root has the machine forget the account`()
    throws
  {
    let directory = try folder.initialised()
    let file = try register(in: directory)
    try record.store(in: file)
    try file.reset(.passcode)
    #expect(try MachineRecord.of(file) == record)
    #expect(try AccountFile.forget(in: directory, uid: 4242))
    #expect(try !AccountFile.forget(in: directory, uid: 4242), "nothing of it is left")
  }

  @Test func `only its owner may read the account's file`() throws {
    let file = try register(in: folder.initialised())
    try record.store(in: file)
    var status = stat()
    #expect(unsafe stat(folder.file(4242), &status) == 0)
    #expect(status.st_mode & 0o077 == 0)
  }
}
