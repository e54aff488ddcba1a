import Foundation
import Testing

extension EndToEnd {
  @Suite struct `A state folder` {
    private static func refusal(_ log: String) -> Refusal {
      Refusal(
        code: .systemError,
        text: "FIDO cannot be used on this machine. Ask the administrator; the log says why.", log: log)
    }

    /// Damage to the folder, and the log line about it; PATH is replaced by the folder's path.
    struct Damage: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let log: String
      let make: @Sendable (_ path: String) throws -> Void
    }

    private static let damages = [
      Damage(testDescription: "missing", log: "PATH: No such file or directory") {
        try FileManager.default.removeItem(atPath: $0)
      },
      Damage(testDescription: "not initialised", log: "PATH/device.key: no device key; run 'uafctl init' as root") {
        try FileManager.default.removeItem(atPath: $0 + "/device.key")
      },
      Damage(testDescription: "open to others", log: "PATH: ") {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: $0)
      },
      Damage(testDescription: "of somebody else", log: "PATH: ") {
        try FileManager.default.setAttributes([.ownerAccountID: Scene.uid], ofItemAtPath: $0)
      },
      Damage(testDescription: "with a cut key", log: "PATH/device.key: not 32 bytes long; refused") {
        try FileManager.default.removeItem(atPath: $0 + "/device.key")
        try Data(count: 31).write(to: URL(filePath: $0 + "/device.key"))
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: $0 + "/device.key")
      },
      Damage(testDescription: "without the accounts' folder", log: "PATH/accounts: No such file or directory") {
        try FileManager.default.removeItem(atPath: $0 + "/accounts")
      },
    ]

    @Test(arguments: damages)
    func `an unusable state folder ends the login before any prompt, and the log says why`(_ damage: Damage) throws {
      let scene = try Scene.registered()
      let path = scene.settings.stateDirectory
      try damage.make(path)
      try Self.refusal(damage.log.replacing("PATH", with: path)).check { try scene.logIn(Scene.passcode) }
    }

    @Test func `an account whose file was made with a different device key is locked permanently`() throws {
      let scene = try Scene.registered()
      let (files, state) = (FileManager.default, scene.settings.stateDirectory)
      try files.removeItem(atPath: state + "/device.key")
      #expect(try scene.tool("init").status != 0, "a new key beside accounts would lock them all")
      try files.moveItem(atPath: state + "/accounts", toPath: state + "/before")
      #expect(try scene.tool("init").status == 0)
      try files.removeItem(atPath: state + "/accounts")
      try files.moveItem(atPath: state + "/before", toPath: state + "/accounts")
      try Refusal(
        code: .maximumTries, text: "Locked permanently after too many wrong entries: ask the administrator to unlock.",
        log: "state damaged or edited: the account is locked; root's 'uafctl forget USER' removes it"
      ).check { try scene.logIn(Scene.passcode) }
    }
  }

  @Suite(.enabled(if: SystemLog.isPossible, "needs a mount namespace: root with CAP_SYS_ADMIN"))
  struct `A disk` {
    private static func unusable(_ log: String) -> Refusal {
      Refusal(
        code: .systemError,
        text: "FIDO cannot be used on this machine. Ask the administrator; the log says why.", log: log,
        asks: true)
    }

    @Test func `on a read-only disk no passcode is checked, not even the correct one`() throws {
      let scene = try Scene.registered()
      scene.disk = try Disk.readOnly(scene)
      for entry in ["wrong1111", Scene.passcode] {
        try Self.unusable("Read-only file system").check { try scene.logIn(entry) }
      }
      scene.disk = nil
      #expect(try scene.status().remainingTries == 5)
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }

    @Test func `on a full disk, logins succeed and are counted in disk blocks that were reserved before`() throws {
      let scene = try Scene.registered()
      scene.disk = try Disk.full(scene)
      #expect(try scene.logIn("wrong1111").errors == ["Wrong passcode: 4 tries left."])
      #expect(try scene.status().remainingTries == 4)
      #expect(try scene.logIn(Scene.passcode).code == .success)
      for index in 1...4 { _ = try scene.logIn("wrong\(index)111") }
      let locking = try scene.logIn("wrong5111")
      #expect(locking.errors.first?.hasPrefix("Locked after wrong entries: try again in ") == true)
      #expect(try scene.logIn(Scene.passcode).code == .maximumTries)
    }

    @Test func `on a full disk without blocks reserved before, no passcode is checked, not even the correct one`()
      throws
    {
      let scene = try Scene.registered()
      scene.disk = try Disk.full(scene, dropping: "accounts/*-journal")
      for entry in ["wrong1111", Scene.passcode] {
        try Self.unusable("state database: SQLite error 13: database or disk is full").check {
          try scene.logIn(entry)
        }
      }
      #expect(try scene.status().remainingTries == 5)
    }

    @Test func `on a full disk nobody registers, and nothing that looks like an account is left`() throws {
      let scene = try Scene()
      scene.disk = try Disk.full(scene)
      try scene.write(try scene.server.enrol(scene.user), to: "payload", mode: 0o600)
      let output = try scene.tool(
        "register", scene.user, "--payload", scene.path("payload"), input: "\(Scene.passcode)\n\(Scene.passcode)\n")
      #expect(output.status == 1)
      #expect(output.says("FIDO cannot be used on this machine. [1007]"))
      #expect(try scene.logIn(Scene.passcode).code == .userUnknown)
    }

    @Test(arguments: Array(stride(from: 0, through: 120, by: 12)))
    func `on a nearly full disk a first registration either succeeds or leaves no damaged account`(
      _ kibibytes: Int
    ) throws {
      let scene = try Scene()
      let disk = try Disk.full(scene, but: kibibytes)
      scene.disk = disk
      let wasKept = (try? scene.register()) != nil
      #expect(wasKept || kibibytes < 120)
      try disk.makeRoom(scene)
      if !wasKept {
        #expect(try scene.logIn(Scene.passcode).code == .userUnknown)
        try scene.register()
      }
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }
  }
}
