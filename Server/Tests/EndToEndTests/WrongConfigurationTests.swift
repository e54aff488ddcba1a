import Foundation
import Testing

extension EndToEnd {
  @Suite struct `A configuration` {
    /// A mistake in root's configuration, and the log line about it; PATH is replaced by the file's path.
    struct Mistake: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let log: String
      let make: @Sendable (Scene) throws -> Void

      init(_ name: String, log: String, _ make: @escaping @Sendable (Scene) throws -> Void) {
        testDescription = name
        self.log = log
        self.make = make
      }
    }

    private static let mistakes = [
      Mistake("missing", log: "PATH: there is no such file: create it, or correct the path") {
        try FileManager.default.removeItem(atPath: $0.configuration)
      },
      Mistake("of somebody else", log: "PATH: it belongs to uid 4242: chown root it") {
        try FileManager.default.setAttributes([.ownerAccountID: Scene.uid], ofItemAtPath: $0.configuration)
      },
      Mistake("world-writable", log: "PATH: group or others may write to it: chmod go-w it") {
        try FileManager.default.setAttributes([.posixPermissions: 0o646], ofItemAtPath: $0.configuration)
      },
      Mistake("group-writable", log: "PATH: group or others may write to it: chmod go-w it") {
        try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: $0.configuration)
      },
      Mistake("a folder", log: "PATH: it is not a regular file") {
        try FileManager.default.removeItem(atPath: $0.configuration)
        try FileManager.default.createDirectory(atPath: $0.configuration, withIntermediateDirectories: false)
      },
      Mistake("a symbolic link", log: "PATH: it is a symbolic link: give the real path") {
        try FileManager.default.moveItem(atPath: $0.configuration, toPath: $0.path("real.conf"))
        try FileManager.default.createSymbolicLink(
          atPath: $0.configuration, withDestinationPath: $0.path("real.conf"))
      },
      Mistake("misspelt", log: "PATH:3: server.reqest_url: ") {
        try rewrite($0, "request_url", "reqest_url")
      },
      Mistake("with an unknown table", log: "PATH:2: sevrer: ") { try rewrite($0, "[server]", "[sevrer]") },
      Mistake("out of range", log: "PATH:11: lock.lock_time: ") { try rewrite($0, "lock_time = 300", "lock_time = 0") },
      Mistake("with a word for a number", log: "PATH:11: lock.lock_time: ") {
        try rewrite($0, "lock_time = 300", "lock_time = \"long\"")
      },
      Mistake(
        "with an expression that does not compile", log: ": passcode.regex.a(b: the expression does not compile at "
      ) {
        try add($0, "[passcode.regex]\n'a(b' = true")
      },
      Mistake("with an empty ignored text", log: ": passcode.ignore.: ") {
        try add($0, "[passcode.ignore]\n'' = true")
      },
      Mistake("with lengths that cross", log: ": passcode.min_length: min_length (9) is above max_length (8)") {
        try add($0, "[passcode]\nmin_length = 9\nmax_length = 8")
      },
      Mistake(
        "with a lock without tries", log: ": pattern.lock.retry_count_to_lock: must be a whole number from 1 to 10"
      ) {
        try add($0, "[pattern.lock]\nretry_count_to_lock = 0")
      },
      Mistake("with a lock for one service", log: ": service.login.lock_time: locks are never per service") {
        try add($0, "[service.login]\nlock_time = 60")
      },
      Mistake("of an authenticator nobody has", log: ": iris: unknown key (allowed: ") {
        try add($0, "[iris.lock]\nlock_time = 60")
      },
      Mistake("no TOML", log: "PATH:1: ") { try $0.write("server { request_url }\n", to: "pam_uaf.conf") },
      Mistake("without a server", log: "no server is configured: set server.request_url") {
        try $0.write("[state]\ndirectory = \"\($0.settings.stateDirectory)\"\n", to: "pam_uaf.conf")
      },
      Mistake("naming a missing CA file", log: "server.ca_file: /nonexistent/ca.pem: ") { scene in
        try scene.configure { $0.authority = "/nonexistent/ca.pem" }
      },
    ]

    private static func rewrite(_ scene: Scene, _ old: String, _ new: String) throws {
      try scene.write(scene.settings.text.replacing(old, with: new), to: "pam_uaf.conf")
    }

    private static func add(_ scene: Scene, _ section: String) throws {
      try scene.write(scene.settings.text + "\n" + section + "\n", to: "pam_uaf.conf")
    }

    private static func refusal(_ log: String) -> Refusal {
      Refusal(
        code: .serviceError, text: "The configuration of this machine is wrong: tell the administrator.", log: log)
    }

    // SAFETY: the tests of this target run one after the other.
    private nonisolated(unsafe) static let one = Result { try Scene.registered() }

    /// One scene for all mistakes, whose configuration is made correct again.
    private func scene() throws -> Scene {
      let scene = try unsafe Self.one.get()
      try? FileManager.default.removeItem(atPath: scene.configuration)
      scene.settings.authority = scene.server.authority
      try scene.configure()
      try scene.stack("auth required MODULE")
      return scene
    }

    @Test(arguments: mistakes)
    func `a wrong configuration ends the login before any prompt, and the log names the file and line`(
      _ mistake: Mistake
    )
      throws
    {
      let scene = try scene()
      try mistake.make(scene)
      try Self.refusal(mistake.log.replacing("PATH", with: scene.configuration)).check {
        try scene.logIn(Scene.passcode)
      }
    }

    @Test func `a configuration in a folder that others may write to is refused`() throws {
      let scene = try scene()
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scene.folder)
      defer { try? FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: scene.folder) }
      try Self.refusal("others may write to \(scene.folder): chmod go-w \(scene.folder)").check {
        try scene.logIn(Scene.passcode)
      }
    }

    @Test(arguments: [
      ("nouserokay", "module argument nouserokay: "), ("timeout=soon", "module argument timeout: "),
      ("conf=relative.conf", "module argument conf: must be an absolute path"),
    ])
    func `a wrong module argument ends the login, even if the configuration is correct`(
      _ argument: String, _ log: String
    )
      throws
    {
      let scene = try scene()
      let own = argument.hasPrefix("conf=") ? "" : "conf=\(scene.configuration)"
      try scene.stack("auth required \(Programs.module) \(argument) \(own)")
      try Self.refusal(log).check { try scene.logIn(Scene.passcode) }
    }

    @Test(arguments: [
      ("[passcode]\nui_type = \"pin6\"\nkeypad = \"shuffled\"", "excludes keypad = "),
      ("[service.demo]\ntransaction = true", "excludes transaction = true"),
    ])
    func `use_first_pass and try_first_pass are refused together with a shuffled keypad or a transaction`(
      _ section: String, _ problem: String
    ) throws {
      for argument in ["use_first_pass", "try_first_pass"] {
        let scene = try scene()
        try Self.add(scene, section)
        try scene.stack("auth required \(Programs.module) \(argument) conf=\(scene.configuration)")
        try Self.refusal("module argument \(argument): \(problem)").check { try scene.logIn(Scene.passcode) }
      }
    }

    @Test func `logins are accepted again once root has corrected the configuration`() throws {
      let scene = try scene()
      try Self.rewrite(scene, "request_url", "reqest_url")
      #expect(try scene.logIn(Scene.passcode).code == .serviceError)
      try scene.configure()
      #expect(try scene.logIn(Scene.passcode).code == .success)
    }
  }
}
