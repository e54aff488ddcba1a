import Authenticator
import Foundation
import Testing

/// How many connections to the core a person without root's rights can have.
@Suite final class PeerSlotTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/pam-uaf-peers.\(UUID().uuidString)"

  init() throws {
    _ = try StateDirectory.initialise(folder, owner: getuid())
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func take(_ peer: UInt32) throws -> PeerSlot? {
    try PeerSlot.take(in: folder, for: peer, owner: getuid())
  }

  @Test func `a person's own programs have at most four slots`() throws {
    var held: [PeerSlot] = []
    for _ in 0..<4 { held.append(try #require(try take(4242))) }
    #expect(try take(4242) == nil)
    withExtendedLifetime(held) {}
  }

  @Test
  func `hosts such as sudo that a person calls have sixteen slots, besides the four of the person's own programs`()
    throws
  {
    var held: [PeerSlot] = []
    func takeAsCaller(_ uid: UInt32) throws -> PeerSlot? {
      try PeerSlot.take(in: folder, for: uid, by: .caller, owner: getuid())
    }
    for _ in 0..<16 { held.append(try #require(try takeAsCaller(4242))) }
    #expect(try takeAsCaller(4242) == nil)
    for _ in 0..<4 { held.append(try #require(try take(4242))) }
    for uid in [UInt32(0), 4241, 4243, .max] {
      held.append(try #require(try takeAsCaller(uid), "the place of another"))
    }
    withExtendedLifetime(held) {}
  }

  @Test func `a slot is free again once its holder ends`() throws {
    var held: [PeerSlot] = []
    for _ in 0..<4 { held.append(try #require(try take(4242))) }
    held.removeLast()
    #expect(try take(4242) != nil)
    withExtendedLifetime(held) {}
  }

  @Test(arguments: [UInt32(0), 1, 4241, 4243, .max]) func `the slots of one person do not count for another`(
    _ other: UInt32
  )
    throws
  {
    var held: [PeerSlot] = []
    for peer in [4242, other] {
      for _ in 0..<4 { held.append(try #require(try take(peer))) }
      #expect(try take(peer) == nil)
    }
    withExtendedLifetime(held) {}
  }

  @Test func `gives no slot if its folder is missing or open to others`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/slots")
    #expect(throws: StateError.self) { _ = try self.take(4242) }
    #expect(throws: StateError.self) { _ = try PeerSlot.take(in: "/nonexistent", for: 1, owner: getuid()) }
  }

  @Test func `slots use no space on disk`() throws {
    for peer in 0..<50 { _ = try take(UInt32(peer)) }
    let path = folder + "/slots"
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        == ["files.lock", "peers.lock", "turns.lock"])
    #expect(try FileManager.default.attributesOfItem(atPath: path + "/peers.lock")[.size] as? Int == 0)
  }
}
