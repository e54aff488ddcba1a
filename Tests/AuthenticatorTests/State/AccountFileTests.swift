import Glibc
import SecretMemory
import Testing
import UAFCrypto

@testable import Authenticator
import AuthenticatorTypes

@Suite struct AccountFileTests {
  private let folder: StateFolder
  private let identity = AccountIdentity(uid: 4242, name: Array("mina".utf8), serverUserName: "mina@example.com")
  /// Cheap on purpose: the cost of scrypt is not tested here.
  private let cost = Scrypt.Parameters(logN: 4, r: 8, p: 1)
  private let policy = LockPolicy(retryCountToLock: 3, lockTime: .seconds(60), maxLockCount: 1)
  private let now = BootTime(bootID: [1], nanoseconds: 0, wallSeconds: 0)

  init() { folder = StateFolder() }

  private init(folder: StateFolder) { self.folder = folder }

  private func secret(_ text: String) throws -> Secret { try Secret(copying: Array(text.utf8).span) }

  /// An account with the passcode "correct" and one key.
  @discardableResult
  private func register(in directory: borrowing StateDirectory) throws -> RegisteredKey {
    let slot = try #require(try DerivationSlotBox(directory))
    let unlocked = try AccountFile.enrol(
      secret("correct"), for: .passcode, identity: identity, cost: cost, in: directory, holding: slot.slot)
    let key = try unlocked.makeKey(appID: "https://example.com/facets")
    try AccountFile.create(in: directory, identity: identity, storing: [unlocked.registration(of: key)])
    return key
  }

  private func open(in directory: borrowing StateDirectory) throws(StateError) -> AccountFile? {
    try AccountFile.open(in: directory, uid: 4242, name: identity.name) { "\($0)@example.com" }
  }

  /// The outcome of an entry, as one word.
  private func enter(_ text: String, in directory: borrowing StateDirectory) throws -> String {
    let slot = try #require(try DerivationSlotBox(directory, by: 1001))
    let file = try #require(try open(in: directory))
    switch try file.verify(
      secret(text), for: .passcode, from: .local, at: now, policy: policy, in: directory, holding: slot.slot)
    {
    case .verified: return "verified"
    case .wrong: return "wrong"
    case .locked: return "locked"
    case .permanentlyLocked: return "permanently locked"
    case .exhausted: return "exhausted"
    }
  }

  @Test func `the correct secret opens the keys, and a wrong one is counted`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    #expect(try enter("correct", in: directory) == "verified")
    #expect(try enter("Correct", in: directory) == "wrong")
    #expect(try enter("", in: directory) == "wrong")
    #expect(try #require(try open(in: directory)).ledger(.passcode)[.local].charges.count == 2)
  }

  @Test func `a ledger that an older version stored keeps its lock and its count`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    let file = try #require(try open(in: directory))
    let old = LedgerRecordTests.record(LedgerRecordTests.oldLocked)
    try file.records.write { () throws(StateError) in
      try file.records.put(.ledger, name: Array(AuthenticatorType.passcode.rawValue.utf8), body: old, of: file.identity)
    }
    #expect(try enter("correct", in: directory) == "locked")
    let later = BootTime(bootID: now.bootID, nanoseconds: now.nanoseconds + 301_000_000_000, wallSeconds: 0)
    #expect(try file.ledger(.passcode, at: later).status(.local, at: later, policy: policy).isLocked == false)
    #expect(try file.charge(.passcode, .otherUser, at: later, policy: policy) == .charged(ticket: 6))
    let body = try #require(
      try file.records.body(.ledger, name: Array(AuthenticatorType.passcode.rawValue.utf8), of: file.identity))
    #expect(body.count == old.count && body.first == 2)
  }

  @Test func `even the correct secret is refused during a lock`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    for _ in 0..<3 { #expect(try enter("wrong", in: directory) == "wrong") }
    #expect(try enter("correct", in: directory) == "locked")
    try #require(try open(in: directory)).unlock()
    #expect(try enter("correct", in: directory) == "verified")
  }

  @Test func `stores that the end of a lock was noticed`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    for _ in 0..<3 { _ = try enter("wrong", in: directory) }
    let file = try #require(try open(in: directory))
    let late = BootTime(bootID: [1], nanoseconds: 60_000_000_000, wallSeconds: 0)
    let rebooted = BootTime(bootID: [2], nanoseconds: 0, wallSeconds: 0)
    #expect(try file.ledger(.passcode, at: now).status(.local, at: rebooted, policy: policy).isLocked)
    #expect(try !file.ledger(.passcode, at: late).status(.local, at: late, policy: policy).isLocked)
    let again = try #require(try open(in: directory))
    #expect(try !again.ledger(.passcode).status(.local, at: rebooted, policy: policy).isLocked)
  }

  // MARK: Changes by others at the same time

  /// The account's authenticator, opened with its passcode.
  private func opened(_ file: AccountFile, in directory: borrowing StateDirectory) throws -> UnlockedAuthenticator {
    let slot = try #require(try DerivationSlotBox(directory))
    let verification = try file.verify(
      secret("correct"), for: .passcode, from: .local, at: now, policy: policy, in: directory, holding: slot.slot)
    guard case .verified(let unlocked) = consume verification else { throw StateError.absent }
    return unlocked
  }

  @Test func `a registration that runs during a reset does not bring the removed account back`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    let file = try #require(try open(in: directory))
    let unlocked = try opened(file, in: directory)
    let registration = unlocked.registration(of: try unlocked.makeKey(appID: "https://example.com/facets"))
    try #require(try open(in: directory)).reset(.passcode)
    #expect(throws: StateError.absent) { try file.store([registration]) }
    #expect(throws: StateError.absent) { try file.noteUse(of: .passcode) }
    #expect(try open(in: directory) == nil)
  }

  @Test func `after a change of the secret, an entry of the old secret clears no attempts`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    let file = try #require(try open(in: directory))
    let old = try #require(try file.authenticator(.passcode))
    let outcome = try file.charge(.passcode, .local, at: now, policy: policy)
    let unlocked = try opened(file, in: directory)
    let slot = try #require(try DerivationSlotBox(directory))
    try file.change(unlocked, to: secret("another"), cost: cost, in: directory, holding: slot.slot)
    #expect(outcome == .charged(ticket: 1))
    #expect(throws: StateError.superseded) { try file.settle(.passcode, ticket: 1, of: old) }
    #expect(try enter("correct", in: directory) == "wrong")
    #expect(try enter("another", in: directory) == "verified")
    let third = try secret("a third")
    var refusal: StateError?
    do throws(StateError) {
      try file.change(unlocked, to: third, cost: cost, in: directory, holding: slot.slot)
    } catch { refusal = error }
    #expect(refusal == .superseded, "it was opened with the value before")
  }

  @Test
  func `a correct secret is reported while its attempt is still counted, and a wrong secret is never reported`() throws
  {
    let directory = try folder.initialised()
    try register(in: directory)
    let file = try #require(try open(in: directory))
    let slot = try #require(try DerivationSlotBox(directory))
    var counts: [Int?] = []
    for entry in ["Correct", "correct"] {
      _ = try file.verify(
        secret(entry), for: .passcode, from: .local, at: now, policy: policy, in: directory, holding: slot.slot
      ) { counts.append(try? file.ledger(.passcode)[.local].charges.count) }
    }
    #expect(counts == [2])
    #expect(try file.ledger(.passcode)[.local].charges.isEmpty)
  }

  @Test func `if the secret is reset just after it was found correct, no key opens`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    let file = try #require(try open(in: directory))
    let slot = try #require(try DerivationSlotBox(directory))
    let value = try secret("correct")
    var refusal: StateError?
    do throws(StateError) {
      _ = try file.verify(
        value, for: .passcode, from: .local, at: now, policy: policy,
        in: directory, holding: slot.slot
      ) { try? file.reset(.passcode) }
    } catch { refusal = error }
    #expect(refusal == .absent)
  }

  @Test func `makes signatures that the public key verifies, with a counter that only grows`() throws {
    let directory = try folder.initialised()
    let key = try register(in: directory)
    let slot = try #require(try DerivationSlotBox(directory))
    let file = try #require(try open(in: directory))
    guard
      case .verified(let unlocked) = try file.verify(
        secret("correct"), for: .passcode, from: .local, at: now, policy: policy, in: directory, holding: slot.slot)
    else { return #expect(Bool(false)) }
    let signature = try unlocked.sign([1, 2, 3], with: key)
    #expect(P256.isValidSignature(signature, of: [1, 2, 3], publicKey: key.publicKey))
    #expect(!P256.isValidSignature(signature, of: [1, 2, 4], publicKey: key.publicKey))
    #expect(try (0..<3).map { _ in try file.nextSignCounter(key.keyID) } == [1, 2, 3])
  }

  @Test func `without an account's file, the account counts as one that never registered`() throws {
    let directory = try folder.initialised()
    let exists = try AccountFile.exists(in: directory, uid: 4242)
    #expect(!exists)
    #expect(try open(in: directory) == nil)
  }

  @Test func `removing the last key leaves a tombstone until root makes the machine forget the account`() throws {
    let directory = try folder.initialised()
    let key = try register(in: directory)
    try #require(try open(in: directory)).remove([key.keyID])
    #expect(try open(in: directory) == nil)
    let buried = try AccountFile.exists(in: directory, uid: 4242)
    #expect(buried)
    try register(in: directory)
    #expect(try enter("correct", in: directory) == "verified")
    let forgot = try AccountFile.forget(in: directory, uid: 4242)
    let exists = try AccountFile.exists(in: directory, uid: 4242)
    let forgotTwice = try AccountFile.forget(in: directory, uid: 4242)
    #expect(forgot && !exists && !forgotTwice)
  }

  @Test func `opens no key for a reused uid, a renamed account or a different server user name`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    var errors: [StateError] = []
    do throws(StateError) {
      _ = try AccountFile.open(in: directory, uid: 4242, name: Array("other".utf8)) { _ in nil }
    } catch { errors.append(error) }
    do throws(StateError) {
      _ = try AccountFile.open(in: directory, uid: 4242, name: identity.name) { "\($0)@example.org" }
    } catch { errors.append(error) }
    _ = unsafe rename(folder.file(4242), folder.file(4243))
    do throws(StateError) {
      _ = try AccountFile.open(in: directory, uid: 4243, name: identity.name) { "\($0)@example.com" }
    } catch { errors.append(error) }
    let renamed = StateError.serverNameChanged(registered: "mina@example.com", configured: "mina@example.org")
    #expect(errors == [.identityMismatch, renamed, .damaged])
    #expect(errors.map(\.meansLocked) == [true, false, true])
  }

  @Test func `opens no key in a file that was copied from a different machine`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    let other = StateFolder()
    let elsewhere = try other.initialised()
    StateFolder.write(other.file(4242), StateFolder.read(folder.file(4242)))
    #expect(throws: StateError.damaged) { try open(in: elsewhere) }
  }

  @Test func `refuses a file if a row was edited or removed, or if the file is of a later version`() throws {
    let edits = [
      "UPDATE record SET body = zeroblob(1024) WHERE kind = CAST('ledger' AS BLOB)",
      "DELETE FROM record WHERE kind = CAST('ledger' AS BLOB)",
      "DELETE FROM record",
      "UPDATE record SET mac = zeroblob(32)",
      "UPDATE record SET name = CAST('pattern' AS BLOB) WHERE kind = CAST('authenticator' AS BLOB)",
      "PRAGMA user_version = 2",
    ]
    for edit in edits {
      let fresh = StateFolder()
      let directory = try fresh.initialised()
      let copy = AccountFileTests(folder: fresh)
      try copy.register(in: directory)
      try Database(path: fresh.file(4242)).execute(edit)
      #expect(throws: StateError.self, "\(edit)") { try copy.enter("correct", in: directory) }
    }
  }

  @Test(arguments: [
    """
    CREATE TABLE kept AS SELECT * FROM record; CREATE TRIGGER undo AFTER UPDATE ON record BEGIN
    UPDATE record SET body = (SELECT body FROM kept WHERE kind = NEW.kind) WHERE kind = NEW.kind; END
    """,
    "ALTER TABLE record RENAME TO kept; CREATE VIEW record AS SELECT * FROM kept", "CREATE INDEX other ON record (mac)",
    "DROP TABLE reserve", "ALTER TABLE record ADD COLUMN other ANY",
  ])
  func `refuses a file with tables, triggers or views that pam-uaf does not create`(_ change: String) throws {
    let directory = try folder.initialised()
    try register(in: directory)
    try Database(path: folder.file(4242)).execute(change)
    #expect(throws: StateError.damaged) { try open(in: directory) }
  }

  @Test(arguments: ["('authenticator')", "('authenticator', 'ledger')", "('authenticator', 'key')"])
  func `if the row of a secret was removed, reports damage instead of a secret that was never set`(_ kinds: String)
    throws
  {
    let directory = try folder.initialised()
    try register(in: directory)
    try Database(path: folder.file(4242)).execute("DELETE FROM record WHERE CAST(kind AS TEXT) IN \(kinds)")
    let file = try #require(try open(in: directory))
    #expect(throws: StateError.damaged) { try file.authenticator(.passcode) }
    #expect(try file.authenticator(.pattern) == nil)
  }

  /// Judges an offline login one second after the server's last success.
  private func judge(_ file: AccountFile) throws(StateError) -> OfflineJudgement {
    let later = BootTime(bootID: [1], nanoseconds: 1_000_000_000, wallSeconds: 1)
    return try file.judgeOffline(
      at: later, maximumAge: .seconds(60), opened: [.passcode], terms: [UInt8](repeating: 1, count: 32))
  }

  private func noteYes(_ file: AccountFile) throws {
    let refusals = try file.refusals()
    try file.noteYes(asked: now, with: [.passcode], under: [UInt8](repeating: 1, count: 32), since: refusals)
  }

  @Test func `keeps the server's success until its next refusal`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    let file = try #require(try open(in: directory))
    #expect(try judge(file) == .refused(.noYes))
    try noteYes(file)
    #expect(try judge(file) == .holds(age: .seconds(1)))
    try file.noteRefusal(at: now, always: false)
    #expect(try judge(file) == .refused(.noYes))
    try noteYes(file)
    #expect(try judge(file) == .holds(age: .seconds(1)))
  }

  @Test func `without a stored success, a refusal writes nothing, unless a success could still arrive`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    let file = try #require(try open(in: directory))
    try file.noteRefusal(at: now, always: false)
    #expect(try file.refusals() == 0)
    let before = try file.refusals()
    try file.noteRefusal(at: now, always: true)
    try file.noteYes(asked: now, with: [.passcode], under: [UInt8](repeating: 1, count: 32), since: before)
    #expect(try judge(file) == .refused(.noYes))
  }

  @Test(arguments: [
    "UPDATE record SET body = zeroblob(256)", "UPDATE record SET mac = zeroblob(32)",
    "UPDATE record SET body = CAST(body || x'00' AS BLOB)", "DELETE FROM record",
  ])
  func `if the row of a stored success was edited or removed, the success is ignored and the account still works`(
    _ edit: String
  ) throws {
    let directory = try folder.initialised()
    try register(in: directory)
    let file = try #require(try open(in: directory))
    try noteYes(file)
    try Database(path: folder.file(4242)).execute("\(edit) WHERE kind = CAST('lastAnswer' AS BLOB)")
    if edit.hasPrefix("DELETE") {
      #expect(try judge(file) == .refused(.noYes))
    } else {
      #expect(throws: StateError.damaged) { try judge(file) }
      #expect(throws: StateError.damaged) { try noteYes(file) }
    }
    #expect(try enter("correct", in: directory) == "verified")
  }

  @Test func `a stored success of the server is removed once keys are added or removed`() throws {
    let directory = try folder.initialised()
    let key = try register(in: directory)
    let file = try #require(try open(in: directory))
    try noteYes(file)
    let unlocked = try opened(file, in: directory)
    try file.store([unlocked.registration(of: try unlocked.makeKey(appID: "https://example.com/facets"))])
    #expect(try judge(file) == .refused(.noYes), "a further key")
    try noteYes(file)
    try file.remove([key.keyID])
    #expect(try judge(file) == .refused(.noYes), "a key less")
    try noteYes(file)
    try file.reset(.passcode)
    #expect(try judge(file) == .refused(.noYes), "the value gone")
    #expect(throws: StateError.absent) { try noteYes(file) }
  }

  @Test func `restoring an older ledger from a copy is not detected, as the documentation says`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    let old = StateFolder.read(folder.file(4242))
    for _ in 0..<3 { _ = try enter("wrong", in: directory) }
    StateFolder.write(folder.file(4242), old)
    #expect(try enter("correct", in: directory) == "verified")
  }

  @Test func `a file cut at any position never accepts a wrong secret, and never grants a try too many`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    for _ in 0..<3 { _ = try enter("wrong", in: directory) }
    let locked = StateFolder.read(folder.file(4242))
    var refusals = 0
    for length in stride(from: 0, to: locked.count, by: 512) {
      _ = unsafe unlink(folder.file(4242) + "-journal")
      StateFolder.write(folder.file(4242), Array(locked.prefix(length)))
      let outcome = (try? enter("correct", in: directory)) ?? "refused"
      #expect(["refused", "locked"].contains(outcome), "cut at \(length)")
      refusals += outcome == "refused" ? 1 : 0
    }
    #expect(refusals > 0, "the cuts reached what matters")
  }

  @Test func `flipped bytes never accept a wrong secret, and never grant a try too many`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    for _ in 0..<3 { _ = try enter("wrong", in: directory) }
    _ = unsafe unlink(folder.file(4242) + "-journal")
    let locked = StateFolder.read(folder.file(4242))
    for offset in stride(from: 0, to: locked.count, by: 13) {
      var changed = locked
      changed[offset] ^= 0xff
      StateFolder.write(folder.file(4242), changed)
      let outcome = (try? enter("correct", in: directory)) ?? "refused"
      #expect(["refused", "locked"].contains(outcome), "byte \(offset)")
      _ = unsafe unlink(folder.file(4242) + "-journal")
    }
  }

  @Test func `refuses an account's file that is open to others, linked, or not a regular file`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    _ = unsafe chmod(folder.file(4242), 0o640)
    #expect(throws: StateError.self) { try open(in: directory) }
    _ = unsafe chmod(folder.file(4242), 0o600)
    _ = unsafe link(folder.file(4242), folder.path + "/second")
    #expect(throws: StateError.self) { try open(in: directory) }
    _ = unsafe unlink(folder.path + "/second")
    _ = try open(in: directory)
    _ = unsafe rename(folder.file(4242), folder.path + "/moved")
    _ = unsafe symlink(folder.path + "/moved", folder.file(4242))
    #expect(throws: StateError.self) { try open(in: directory) }
    _ = unsafe unlink(folder.path + "/moved")
  }

  @Test func `refuses a journal that is open to others or linked`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    _ = unsafe unlink(folder.file(4242) + "-journal")
    _ = unsafe symlink("/dev/null", folder.file(4242) + "-journal")
    #expect(throws: StateError.self) { try open(in: directory) }
  }

  @Test func `the database contains neither a secret nor a private key in clear text`() throws {
    let directory = try folder.initialised()
    try register(in: directory)
    let bytes = StateFolder.read(folder.file(4242)) + StateFolder.read(folder.file(4242) + "-journal")
    let needle = Array("correct".utf8)
    #expect(!bytes.indices.dropLast(needle.count).contains { Array(bytes[$0..<$0 + needle.count]) == needle })
  }
}
