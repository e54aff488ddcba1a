import Glibc
import Testing

@testable import Authenticator

@Suite struct StateDirectoryTests {
  private let folder = StateFolder()
  private let owner = getuid()

  /// Why the folder cannot be opened; nil if it can.
  ///
  /// `#expect(throws:)` cannot check this, because the folder is not copyable.
  private func failure() -> StateError? {
    do throws(StateError) {
      _ = try StateDirectory(folder.state, owner: owner)
      return nil
    } catch { return error }
  }

  @Test func `initialising makes a device key once, and keeps it`() throws {
    #expect(try StateDirectory.initialise(folder.state, owner: owner))
    let key = StateFolder.read(folder.state + "/device.key")
    #expect(key.count == 32)
    #expect(try !StateDirectory.initialise(folder.state, owner: owner))
    #expect(StateFolder.read(folder.state + "/device.key") == key)
    #expect(failure() == nil)
  }

  @Test func `makes no device key if there are accounts that a different key has sealed`() throws {
    _ = try StateDirectory.initialise(folder.state, owner: owner)
    _ = unsafe unlink(folder.state + "/device.key")
    let file = unsafe open(folder.state + "/accounts/1000.db", O_CREAT | O_WRONLY, 0o600)
    #expect(file >= 0 && close(file) == 0)
    #expect(throws: StateError.keyMissing(path: folder.state + "/device.key")) {
      try StateDirectory.initialise(folder.state, owner: owner)
    }
    #expect(unsafe access(folder.state + "/device.key", F_OK) != 0)
    _ = unsafe unlink(folder.state + "/accounts/1000.db")
    #expect(try StateDirectory.initialise(folder.state, owner: owner))
  }

  @Test(arguments: [".1000.new", ".1000.17.new", ".1000.17.new-journal", "1000.db-journal"])
  func `makes a device key even if a killed registration has left its file`(
    _ name: String
  ) throws {
    _ = try StateDirectory.initialise(folder.state, owner: owner)
    _ = unsafe unlink(folder.state + "/device.key")
    StateFolder.write(folder.state + "/accounts/" + name, [1])
    #expect(try StateDirectory.initialise(folder.state, owner: owner))
  }

  @Test func `if a killed call left the device key with two names, the next call removes the second name`() throws {
    _ = try StateDirectory.initialise(folder.state, owner: owner)
    let key = StateFolder.read(folder.state + "/device.key")
    _ = unsafe link(folder.state + "/device.key", folder.state + "/.device.key.17")
    guard case .unsafe = failure() else { return #expect(Bool(false)) }
    #expect(try !StateDirectory.initialise(folder.state, owner: owner))
    #expect(failure() == nil)
    #expect(StateFolder.read(folder.state + "/device.key") == key)
  }

  @Test func `a half-written device key is not used, and the next call removes it`() throws {
    _ = try StateDirectory.initialise(folder.state, owner: owner)
    _ = unsafe rename(folder.state + "/device.key", folder.state + "/.device.key.new")
    #expect(failure() == .notInitialised(path: folder.state + "/device.key"))
    #expect(try StateDirectory.initialise(folder.state, owner: owner))
    #expect(unsafe access(folder.state + "/.device.key.new", F_OK) != 0)
  }

  @Test func `of several calls at a time only one makes the device key`() throws {
    let state = folder.state
    _ = try StateDirectory.initialise(state, owner: owner)
    let change = try FileChange(of: nil, in: TrustedDirectory(state + "/slots", owner: owner))
    #expect(throws: StateError.superseded) { try StateDirectory.initialise(state, owner: owner) }
    withExtendedLifetime(change) {}
  }

  @Test func `renames a file only if no file has the new name`() throws {
    _ = unsafe mkdir(folder.state, 0o700)
    let directory = try TrustedDirectory(folder.state, owner: owner)
    StateFolder.write(folder.state + "/a", [1])
    StateFolder.write(folder.state + "/b", [2])
    var refusal: StateError?
    do throws(StateError) { try directory.rename("a", toNew: "b") } catch { refusal = error }
    #expect(refusal == .superseded)
    #expect(StateFolder.read(folder.state + "/b") == [2])
    try directory.rename("a", toNew: "c")
    #expect(StateFolder.read(folder.state + "/c") == [1])
    #expect(unsafe access(folder.state + "/a", F_OK) != 0)
  }

  @Test func `refuses a state folder without a device key, and makes none`() throws {
    _ = unsafe mkdir(folder.state, 0o700)
    #expect(failure() == .notInitialised(path: folder.state + "/device.key"))
    #expect(unsafe access(folder.state + "/device.key", F_OK) != 0)
  }

  @Test func `refuses a state folder that is missing`() {
    #expect(failure() == .cannotOpen(path: folder.state, errno: ENOENT))
  }

  @Test(arguments: [0o755, 0o770, 0o701] as [mode_t]) func `refuses a state folder that is open to others`(
    _ mode: mode_t
  ) throws {
    _ = try StateDirectory.initialise(folder.state, owner: owner)
    _ = unsafe chmod(folder.state, mode)
    guard case .unsafe = failure() else { return #expect(Bool(false), "\(String(describing: failure()))") }
  }

  @Test func `refuses a state folder with a different owner`() throws {
    _ = try StateDirectory.initialise(folder.state, owner: owner)
    var refused = false
    do throws(StateError) { _ = try StateDirectory(folder.state, owner: owner + 1) } catch {
      if case .unsafe = error { refused = true }
    }
    #expect(refused)
  }

  @Test func `refuses a device key that is open to others, linked, too short, too long or not a file`() throws {
    _ = try StateDirectory.initialise(folder.state, owner: owner)
    let key = folder.state + "/device.key"
    _ = unsafe chmod(key, 0o440)
    guard case .unsafe = failure() else { return #expect(Bool(false)) }
    _ = unsafe chmod(key, 0o400)
    _ = unsafe link(key, folder.state + "/second")
    guard case .unsafe = failure() else { return #expect(Bool(false)) }
    _ = unsafe unlink(folder.state + "/second")
    #expect(failure() == nil)
    for length in [0, 31, 33] {
      _ = unsafe unlink(key)
      StateFolder.write(key, Array(repeating: 1, count: length), mode: 0o400)
      guard case .unsafe = failure() else { return #expect(Bool(false), "length \(length)") }
    }
    _ = unsafe unlink(key)
    _ = unsafe symlink("/dev/zero", key)
    guard case .unsafe = failure() else { return #expect(Bool(false)) }
    _ = unsafe unlink(key)
    _ = unsafe mkfifo(key, 0o600)
    guard case .unsafe = failure() else { return #expect(Bool(false), "a FIFO must not block either") }
  }

  @Test func `refuses the path of a state folder that leads through a symbolic link`() throws {
    _ = try StateDirectory.initialise(folder.state, owner: owner)
    _ = unsafe symlink(folder.state, folder.path + "/link")
    var refused = false
    do throws(StateError) { _ = try StateDirectory(folder.path + "/link", owner: owner) } catch {
      refused = error == .unsafe(path: folder.path + "/link", why: .notFolder)
    }
    #expect(refused)
  }

  @Test(arguments: ["state", "", "/tmp/../tmp", "/./tmp"])
  func `refuses the path of a state folder that is not absolute and plain`(_ path: String) {
    var refused = false
    do throws(StateError) { _ = try StateDirectory(path, owner: owner) } catch {
      if case .unsafe = error { refused = true }
    }
    #expect(refused)
  }

  @Test func `a slot for a derivation is free once its holder ends, and some slots are only for hosts`() throws {
    let directory = try folder.initialised()
    do {
      let slot = try DerivationSlot.take(in: directory, count: 3, for: .person, by: 1000)
      let second = try DerivationSlot.take(in: directory, count: 3, for: .person, by: 1001)
      let remote = try DerivationSlot.take(in: directory, count: 3, for: .remoteHost, by: 1002)
      let fourth = try DerivationSlot.take(in: directory, count: 3, for: .remoteHost, by: 1003)
      let local = try DerivationSlot.take(in: directory, count: 3, for: .localHost, by: 1004)
      let sixth = try DerivationSlot.take(in: directory, count: 3, for: .localHost, by: 1005)
      let taken = [slot != nil, second != nil, remote != nil, fourth != nil, local != nil, sixth != nil]
      #expect(taken == [true, false, true, false, true, false])
    }
    let again = try DerivationSlot.take(in: directory, count: 3, for: .person) != nil
    #expect(again)
  }

  @Test
  func `each account, and each name without an account, has one turn at a time for each claim to a slot`() throws {
    let directory = try folder.initialised()
    let (one, other) = (DerivationTurn.Subject.account(1000), DerivationTurn.Subject.account(.max))
    do {
      let held = try DerivationTurn.take(in: directory, of: one, for: .localHost)
      #expect(held != nil)
      #expect(try DerivationTurn.take(in: directory, of: one, for: .localHost) == nil)
      let others: [(DerivationTurn.Subject, DerivationSlot.Claim)] = [
        (one, .remoteHost), (one, .person), (other, .localHost), (other, .person), (.name([]), .localHost),
        (.name(Array("mina".utf8)), .localHost), (.name(Array("nora".utf8)), .localHost), (.name([]), .person),
      ]
      let turns = try others.map { try DerivationTurn.take(in: directory, of: $0.0, for: $0.1) }
      #expect(turns.allSatisfy { $0 != nil }, "none of them waits for another")
      withExtendedLifetime((held, turns)) {}
    }
    #expect(try DerivationTurn.take(in: directory, of: one, for: .localHost) != nil, "given back with its holder")
  }

  @Test
  func `slot and turn end with their holder, even if a process that is starting has copies of the lock files`() throws {
    let directory = try folder.initialised()
    var copies: [CInt] = []
    for _ in 0..<2 {
      let slot = try DerivationSlot.take(in: directory, count: 3, for: .person)
      copies += folder.copiesOfLocks()
      let isTaken = slot != nil
      #expect(isTaken)
    }
    #expect(copies.count >= 4, "a slot and a turn each time")
    for copy in copies { close(copy) }
  }

  /// Takes turns for made-up names from one source until none is given, and returns those that were.
  private func turns(
    of source: AttemptSource, _ claim: DerivationSlot.Claim, slots: Int, in directory: borrowing StateDirectory
  ) throws -> [DerivationTurn] {
    var held: [DerivationTurn] = []
    for number in 0..<20 {
      let name = DerivationTurn.Subject.name(Array("nobody\(number)-\(source)".utf8))
      guard let turn = try DerivationTurn.take(in: directory, of: name, from: source, slots: slots, for: claim) else {
        break
      }
      held.append(turn)
    }
    return held
  }

  @Test(arguments: [(3, 1), (4, 1), (8, 3), (32, 15)])
  func `one remote address gets at most half of the turns, however many names it tries`(
    _ slots: Int, _ most: Int
  ) throws {
    let directory = try folder.initialised()
    let (one, other) = (AttemptSource.address([198, 51, 100, 7]), AttemptSource.address([203, 0, 113, 9]))
    let held = try turns(of: one, .remoteHost, slots: slots, in: directory)
    #expect(held.count == most)
    let account = DerivationTurn.Subject.account(1000)
    #expect(
      try DerivationTurn.take(in: directory, of: account, from: one, slots: slots, for: .remoteHost) == nil,
      "known names wait like made-up ones")
    #expect(try DerivationTurn.take(in: directory, of: account, from: other, slots: slots, for: .remoteHost) != nil)
    withExtendedLifetime(held) {}
  }

  @Test func `one caller of su has one turn for all names together, and none for an account that is busy`() throws {
    let directory = try folder.initialised()
    let held = try turns(of: .caller(1001), .localHost, slots: 8, in: directory)
    #expect(held.count == 1)
    let account = DerivationTurn.Subject.account(1000)
    let busy = try DerivationTurn.take(in: directory, of: account, from: .caller(1002), slots: 8, for: .localHost)
    #expect(busy != nil)
    #expect(try DerivationTurn.take(in: directory, of: account, from: .caller(1003), slots: 8, for: .localHost) == nil)
    #expect(try turns(of: .caller(1003), .localHost, slots: 8, in: directory).count == 1)
    withExtendedLifetime((held, busy)) {}
  }

  @Test(arguments: [(1, 1, 3), (23, 2, 4), (4, 16, 4), (64, 1, 3), (8, 8, 8), (0, -1, 3), (8, .max, 3)])
  func `the number of slots depends on the memory, and is at most two for each processor`(
    _ gibibytes: Int, _ processors: Int, _ slots: Int
  ) {
    #expect(DerivationSlot.count(gibibytes: gibibytes, processors: processors) == slots)
  }
}
