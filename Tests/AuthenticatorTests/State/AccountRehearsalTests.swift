import CSQLite
import Synchronization
import Testing

@testable import Authenticator

@Suite struct AccountRehearsalTests {
  @Test
  func `the rehearsed login counts its first signature, and a second rehearsal starts from the same count`() throws {
    #expect(try AccountRehearsal.run() == 1)
    #expect(try AccountRehearsal.run() == 1)
  }

  @Test func `after a rehearsal, random numbers come from a new seed`() async {
    // In a separate process, because all tests of this process share SQLite's random numbers and the file system that seeds
    // them.
    await #expect(processExitsWith: .success) {
      let files = try unsafe #require(sqlite3_vfs_find(nil))
      // SAFETY: the structure lives as long as SQLite does, and this process has one thread that uses it.
      unsafe files.pointee.xRandomness = { _, count, bytes in
        seeds.add(1, ordering: .relaxed)
        return count
      }
      // The rehearsal's journal in memory makes SQLite 3.40 draw random numbers; SQLite 3.46 draws none for it.
      Database.prepare()
      try AccountRehearsal.run()
      #expect(seeds.load(ordering: .relaxed) == 1)
      Database.prepare()
      #expect(seeds.load(ordering: .relaxed) == 2)
      Database.prepare()
      #expect(seeds.load(ordering: .relaxed) == 2, "one seed is enough for the call itself")
    }
  }
}

/// How often SQLite has asked for a seed.
private let seeds = Atomic(0)
