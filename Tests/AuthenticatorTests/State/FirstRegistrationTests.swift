import AuthenticatorTypes
import Glibc
import SecretMemory
import Testing
import UAFCrypto

@testable import Authenticator

/// How an account's file is created and removed, and what a killed call leaves behind.
@Suite struct FirstRegistrationTests {
  private let folder = StateFolder()
  private let identity = AccountIdentity(uid: 4242, name: Array("mina".utf8), serverUserName: "mina@example.com")
  private let cost = Scrypt.Parameters(logN: 4, r: 8, p: 1)

  private func registration(_ value: String, in directory: borrowing StateDirectory) throws -> NewRegistration {
    let slot = try #require(try DerivationSlotBox(directory))
    let unlocked = try AccountFile.enrol(
      Secret(copying: Array(value.utf8).span), for: .passcode, identity: identity, cost: cost, in: directory,
      holding: slot.slot)
    return unlocked.registration(of: try unlocked.makeKey(appID: "https://example.com/facets"))
  }

  @discardableResult
  private func register(_ value: String, in directory: borrowing StateDirectory) throws -> NewRegistration {
    let registration = try registration(value, in: directory)
    try AccountFile.create(in: directory, identity: identity, storing: [registration])
    return registration
  }

  private func open(in directory: borrowing StateDirectory) throws(StateError) -> AccountFile? {
    try AccountFile.open(in: directory, uid: 4242, name: identity.name) { "\($0)@example.com" }
  }

  private func isThere(_ name: String) -> Bool { unsafe access(folder.state + "/accounts/" + name, F_OK) == 0 }

  @Test func `a first registration leaves only the file and a journal as large as any transaction needs`() throws {
    let directory = try folder.initialised()
    try register("correct", in: directory)
    let others = try directory.accounts.contains { $0 != "4242.db" && $0 != "4242.db-journal" }
    #expect(!others)
    let size = StateFolder.read(folder.file(4242) + "-journal").count
    #expect(size >= 8 * 4096)
    try #require(try open(in: directory)).noteRefusal(
      at: BootTime(bootID: [1], nanoseconds: 0, wallSeconds: 0), always: true)
    #expect(StateFolder.read(folder.file(4242) + "-journal").count == size)
  }

  @Test func `a registration that fails at its last record leaves no file`() throws {
    let directory = try folder.initialised()
    let registration = try registration("correct", in: directory)
    // The second registration replaces a secret that is not stored, as if a reset had come in between.
    var refusal: StateError?
    do throws(StateError) {
      try AccountFile.create(in: directory, identity: identity, storing: [registration, registration])
    } catch { refusal = error }
    #expect(refusal == .superseded)
    let isLeft = try directory.accounts.contains { _ in true }
    #expect(!isLeft)
    try register("correct", in: directory)
  }

  @Test func `a registration that fails after a deregistration leaves the tombstone as it was`() throws {
    let directory = try folder.initialised()
    try register("correct", in: directory)
    try #require(try open(in: directory)).reset(.passcode)
    let registration = try registration("correct", in: directory)
    #expect(throws: StateError.superseded) {
      try AccountFile.create(in: folder.initialised(), identity: identity, storing: [registration, registration])
    }
    #expect(try open(in: directory) == nil, "buried, and not damaged")
    try register("correct", in: directory)
    #expect(try #require(try open(in: directory)).authenticator(.passcode) != nil)
  }

  @Test func `removes the files that killed registrations of the account left, and no other account's files`() throws {
    let directory = try folder.initialised()
    let leftovers = [".4242.new", ".4242.new-journal", ".4242.17.new", ".4242.17.new-journal"]
    for name in leftovers + [".42.new", ".42421.17.new"] {
      StateFolder.write(folder.state + "/accounts/" + name, Array("SQLite format 3".utf8))
    }
    let never = try AccountFile.exists(in: directory, uid: 4242)
    #expect(!never, "nothing of it is an account")
    try register("correct", in: directory)
    #expect(!leftovers.contains(where: isThere))
    #expect(isThere(".42.new") && isThere(".42421.17.new"))
    for name in leftovers { StateFolder.write(folder.state + "/accounts/" + name, [1]) }
    _ = try AccountFile.forget(in: directory, uid: 4242)
    #expect(!leftovers.contains(where: isThere))
  }

  @Test func `while one call registers or forgets an account, a second call may do neither`() throws {
    let directory = try folder.initialised()
    let change = try FileChange(of: 4242, in: directory.slots)
    #expect(throws: StateError.superseded) { try register("correct", in: folder.initialised()) }
    #expect(throws: StateError.superseded) { try AccountFile.forget(in: folder.initialised(), uid: 4242) }
    let other = try AccountFile.forget(in: directory, uid: 4243)
    #expect(!other, "another account is free")
    withExtendedLifetime(change) {}
  }

  @Test func `never replays the journal of an older file with the same name`() throws {
    let directory = try folder.initialised()
    let old = try register("forgotten", in: directory)
    // An unfinished transaction: its journal contains the old pages, and SQLite would restore them.
    let database = try Database(path: folder.file(4242))
    try database.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE record SET mac = zeroblob(32)")
    try database.execute("UPDATE reserve SET filler = randomblob(3500)")
    let journal = StateFolder.read(folder.file(4242) + "-journal")
    try database.execute("ROLLBACK")
    #expect(journal.first == 0xd9, "it is one that is rolled back")
    // Removes the file but not its journal, as a call does that is killed while it forgets the account.
    _ = unsafe unlink(folder.file(4242))
    StateFolder.write(folder.file(4242) + "-journal", journal)
    let new = try register("new", in: directory)
    let file = try #require(try open(in: directory))
    #expect(try file.authenticator(.passcode)?.sealedKey == new.enrolled.sealedKey)
    #expect(try file.keys().map(\.keyID) == [new.key.keyID])
    #expect(old.key.keyID != new.key.keyID)
  }
}
