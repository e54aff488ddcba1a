import Foundation
import Testing

@testable import UAFHelper

/// Whether a person is at the machine.
///
/// Only the session number in the kernel and logind's record of that session decide this.
struct SeatCheckTests {
  private static let process: Int32 = 7
  private static let local = """
    # This is private data. Do not parse.
    UID=1000
    ACTIVE=1
    STATE=active
    REMOTE=0
    CLASS=user
    SEAT=seat0
    AUDIT=12

    """

  /// A machine with one process, and with logind's record for one session.
  private final class Machine {
    let folder = FileManager.default.temporaryDirectory.appending(path: "seat-\(UUID().uuidString)")
    var owner = getuid()

    init(session: String? = "12", person: String? = "1000", record: String? = local, of name: String = "12") throws {
      let (process, sessions) = (folder.appending(path: "\(process)"), folder.appending(path: "sessions"))
      for path in [process, sessions] {
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
      }
      // A cgroup that the person has made must not matter.
      try write("0::/user.slice/user-1000.slice/user@1000.service/session-12.scope\n", "cgroup", in: process)
      if let session { try write(session, "sessionid", in: process) }
      if let person { try write(person, "loginuid", in: process) }
      if let record { try write(record, name, in: sessions) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(_ text: String, _ name: String, in folder: URL) throws {
      try Data(text.utf8).write(to: folder.appending(path: name))
    }

    var record: URL { folder.appending(path: "sessions/12") }

    func isAtSeat(terminal: String? = nil) -> Bool {
      SeatCheck(processes: folder.path, sessions: folder.appending(path: "sessions").path, owner: owner)
        .isAtSeat(process, terminal: terminal.map { Array($0.utf8) })
    }
  }

  @Test func `accepts a person in a local session in the foreground of the seat`() throws {
    #expect(try Machine().isAtSeat())
    #expect(try Machine().isAtSeat(terminal: "/dev/pts/3"))
  }

  @Test(arguments: [
    ("REMOTE=0", "REMOTE=1"), ("REMOTE=0\n", ""), ("ACTIVE=1", "ACTIVE=0"), ("ACTIVE=1\n", ""),
    ("SEAT=seat0", "SEAT=seat1"), ("SEAT=seat0\n", ""), ("UID=1000", "UID=1001"), ("AUDIT=12", "AUDIT=13"),
    ("AUDIT=12\n", ""), ("REMOTE=0", "REMOTE=0\nREMOTE=1"), ("SEAT=seat0", "SEAT=seat1\nSEAT=seat0"),
    ("SEAT=seat0", "SEAT=seat0\nsomething"),
  ])
  func `refuses a session that is remote, in the background, at another seat, of another person or contradictory`(
    _ part: String, _ other: String
  ) throws {
    #expect(try !Machine(record: Self.local.replacing(part, with: other)).isAtSeat())
  }

  @Test func `refuses a session without a record of logind, whatever its cgroup and terminal are`() throws {
    // A user manager of Debian 12 has such a session, and so has a process that a remote session left behind.
    #expect(try !Machine(session: "13").isAtSeat(terminal: "tty1"))
    #expect(try !Machine(record: nil).isAtSeat(terminal: "tty1"))
    #expect(try !Machine(record: "").isAtSeat())
    // From systemd 256 on, the session of a user manager has a record, but no seat.
    #expect(
      try !Machine(record: Self.local.replacing("SEAT=seat0\n", with: "").replacing("user", with: "manager")).isAtSeat()
    )
  }

  @Test(arguments: ["../sessions/12", "12x", "-1", "", "4294967296", "0x0c"])
  func `refuses a session with an invalid number`(_ session: String) throws {
    #expect(try !Machine(session: session).isAtSeat())
  }

  @Test func `refuses a session record that others could have written, that is a link, or that is too long`() throws {
    let machine = try Machine()
    machine.owner = getuid() &+ 1
    #expect(!machine.isAtSeat())
    machine.owner = getuid()
    try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: machine.record.path)
    #expect(!machine.isAtSeat())
    let other = machine.record.deletingLastPathComponent().appending(path: "other")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: machine.record.path)
    try FileManager.default.moveItem(at: machine.record, to: other)
    try FileManager.default.createSymbolicLink(at: machine.record, withDestinationURL: other)
    #expect(!machine.isAtSeat())
    #expect(try !Machine(record: Self.local + String(repeating: "\n", count: 9000)).isAtSeat())
  }

  @Test(arguments: ["tty1", "/dev/tty2", "/dev/tty63"])
  func `accepts a host of root that prompts on a virtual console before there is a session`(_ terminal: String) throws {
    #expect(try Machine(session: "4294967295", record: nil).isAtSeat(terminal: terminal))
    // The kernel has no audit here, and so no session number.
    #expect(try Machine(session: nil, person: nil, record: nil).isAtSeat(terminal: terminal))
  }

  @Test(arguments: [
    nil, "", "tty", "tty0", "tty64", "tty01", "tty1 ", "ttyS0", "/dev/pts/1", "/dev//tty1", "/tmp/dev/tty1", ":0",
    "ssh",
    "cron",
  ])
  func `refuses a process without a session on any other terminal, or on none`(_ terminal: String?) throws {
    #expect(try !Machine(session: "4294967295").isAtSeat(terminal: terminal))
    #expect(try !Machine(session: nil, person: nil).isAtSeat(terminal: terminal))
  }

  @Test func `the process of the tests itself has no session in the tests' own records`() throws {
    let machine = try Machine()
    let check = SeatCheck(sessions: machine.folder.path, owner: getuid())
    #expect(!check.isAtSeat(getpid(), terminal: nil))
    #expect(!check.isAtSeat(0, terminal: nil))
  }
}
