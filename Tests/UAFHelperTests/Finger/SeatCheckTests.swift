import Foundation
import Testing

@testable import UAFHelper

/// Whether somebody sits at the machine.
struct SeatCheckTests {
  private static func isAtSeat(group: String?, session: String?) throws -> Bool {
    let folder = FileManager.default.temporaryDirectory.appending(path: "seat-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "7"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(at: folder.appending(path: "sessions"), withIntermediateDirectories: true)
    if let group { try Data(group.utf8).write(to: folder.appending(path: "7/cgroup")) }
    if let session { try Data(session.utf8).write(to: folder.appending(path: "sessions/c12")) }
    let found = SeatCheck.isAtSeat(7, processes: folder.path, sessions: folder.appending(path: "sessions").path)
    try FileManager.default.removeItem(at: folder)
    return found
  }

  private static let group = "0::/user.slice/user-1000.slice/session-c12.scope\n"

  @Test func `refuses a session from afar`() throws {
    #expect(try !Self.isAtSeat(group: Self.group, session: "UID=1000\nREMOTE=1\nREMOTE_HOST=203.0.113.7\n"))
  }

  @Test func `takes a session of the machine, and none at all`() throws {
    #expect(try Self.isAtSeat(group: Self.group, session: "UID=1000\nREMOTE=0\nSEAT=seat0\n"))
    #expect(try Self.isAtSeat(group: Self.group, session: nil))
    #expect(try Self.isAtSeat(group: "0::/system.slice/cron.service\n", session: "REMOTE=1\n"))
    #expect(try Self.isAtSeat(group: nil, session: nil))
  }

  @Test(arguments: ["0::/session-.scope", "0::/session-../x.scope", "0::/session-A.scope", "0::/sessions-1.scope", ""])
  func `finds no session in another group`(_ group: String) { #expect(SeatCheck.session(in: group) == nil) }
}
